module leaks

go 1.21
