#!/bin/bash
# Builds the labs' serial versions and solutions for a GPU into a folder, with the program that times them and run.sh, to be
# carried to a machine without a compiler:  build_lab_cases.sh DIR [ARCHITECTURE]
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
to=${1:?usage: build_lab_cases.sh DIR [ARCHITECTURE]}
architecture=${2:-all}
mkdir -p "$to"
ninja -C "$root/build" src/compiler/course-cc src/fidelity/lab_times src/gpu/libgpu_trace.a src/lab/liblab_gpu.a
cp "$root/build/src/fidelity/lab_times" "$to/"
ldd "$to/lab_times" | awk '/libfmt/ { print $3 }' | xargs -r cp -t "$to"
labs=
for solution in "$root"/solutions/*/lab.cu; do
    lab=$(basename "$(dirname "$solution")")
    for kind in serial solution; do
        source=$solution
        [ "$kind" = serial ] && source=$root/tests/$lab/baseline.cu
        "$root/build/src/compiler/course-cc" --device gpu --arch "$architecture" --lab -o "$to/${lab}_$kind" "$source"
    done
    labs="$labs $lab ./${lab}_serial ./${lab}_solution"
done
cat >"$to/run.sh" <<END
#!/bin/sh
cd "\$(dirname "\$0")" && LD_LIBRARY_PATH=. ./lab_times --csv labs.csv$labs
END
chmod +x "$to/run.sh"
