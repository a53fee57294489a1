import { type OfferedService, offeredService } from '../offered-service.ts'

/** A service with pages, and a client of it that signs as the administrator. */
export type PagesService = OfferedService

/**
 * The service for files with tests of pages. They share it with others: see `shared-account.ts`. It is for files whose
 * tests look only at records of their own users, and change nothing for others, such as the halt of all trading. The addresses of their users end in the name of the file. All their requests come from one address,
 * which has 20 wrong guesses of passwords and codes in 15 minutes. All other files start their own service.
 */
export const pagesService = offeredService
