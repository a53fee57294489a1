import { queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'

/** The limits of a user. No event tells of them, so a page reads them again whenever it opens. */
export function limitsQuery(userId: number) {
  return queryOptions({
    queryKey: ['users', userId, 'limits'],
    queryFn: () => client.users.limits.get(userId),
    staleTime: 0,
  })
}
