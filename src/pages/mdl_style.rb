# Every rule of mdl but these:
all
exclude_rule 'MD013' # the length of lines: tables and Chinese have none
exclude_rule 'MD022' # blank lines around headings: in hints.md a heading and its sentence stand together
exclude_rule 'MD033' # HTML: folded answers and pictures for light and dark need it
rule 'MD026', :punctuation => '.,;:!' # a heading may ask
rule 'MD036', :punctuation => '.,;:!?。，；：！？'
rule 'MD029', :style => :ordered
