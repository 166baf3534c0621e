module duet/lab/kubernetes/pause

go 1.26.0
