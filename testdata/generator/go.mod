module example.com/generator

go 1.19
