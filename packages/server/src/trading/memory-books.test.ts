import { testBooksContract } from '../../test/books-contract.ts'
import { MemoryBooks } from './memory-books.ts'

testBooksContract('books in memory', async () => {
  let signals = 0
  return { books: new MemoryBooks(), newSignal: async () => ++signals, async [Symbol.asyncDispose]() {} }
})
