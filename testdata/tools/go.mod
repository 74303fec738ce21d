module example.com/testdata/tools

go 1.19
