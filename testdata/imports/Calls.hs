-- What GHC's profiler is recorded with: a parser, a sort, a sum and a recursion.
module Main (main) where

import Data.List (foldl', sortBy)
import Data.Ord (Down (..), comparing)
import System.Environment (getArgs)

{-# NOINLINE parse #-}
parse :: String -> [Int]
parse text = {-# SCC parse #-} map ((`mod` 9973) . read) (words text)

{-# NOINLINE sort #-}
sort :: [Int] -> [Int]
sort numbers = {-# SCC sort #-} sortBy (comparing Down) numbers

{-# NOINLINE checksum #-}
checksum :: [Int] -> Int
checksum numbers = {-# SCC checksum #-} foldl' (\total n -> (total * 31 + n) `mod` 1000003) 0 numbers

{-# NOINLINE fibonacci #-}
fibonacci :: Int -> Int
fibonacci n = {-# SCC fibonacci #-} if n < 2 then n else fibonacci (n - 1) + fibonacci (n - 2)

{-# NOINLINE work #-}
work :: Int -> Int
work i = {-# SCC work #-} checksum (sort (parse text)) + fibonacci 20
  where text = unwords [show ((i + j) * 7919) | j <- [1 .. 2000 :: Int]]

main :: IO ()
main = do
  [rounds] <- getArgs
  print (sum [work i | i <- [1 .. read rounds]])
