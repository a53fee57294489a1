import { ApiError } from '@tickwright/client'

/**
 * Why a link is not valid any more.
 * @throws the error, if it says something else
 */
export function invalidLink(error: unknown): string {
  if (error instanceof ApiError && error.code === 'token_invalid') return error.message
  throw error
}
