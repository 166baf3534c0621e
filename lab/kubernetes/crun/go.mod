module duet/lab/kubernetes/crun

go 1.26.0
