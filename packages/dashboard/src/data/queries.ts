import { QueryCache, QueryClient, queryOptions } from '@tanstack/react-query'
import { ApiError } from '@tickwright/client'
import { client } from './client.ts'
import { isEndOfSession } from './explain.ts'
import { sessionEnded } from './session-state.ts'
import { watchSilence } from './silence.ts'

/** Everything that pages have read. The client library already tries again what is safe to try again. */
export const queries = new QueryClient({
  queryCache: new QueryCache({ onError: noticeEndOfSession }),
  defaultOptions: {
    queries: {
      // Live events say when something has changed. This is for what no event tells.
      staleTime: 30_000,
      retry: (failures, error) => !(error instanceof ApiError && error.status < 500) && failures < 30,
      retryDelay: (failures) => Math.min(500 * 2 ** failures, 10_000),
      networkMode: 'always',
    },
    mutations: { retry: false, networkMode: 'always', onError: noticeEndOfSession },
  },
})

/** Whether the service leaves reads without an answer. */
export const silence = watchSilence(queries.getQueryCache())

function noticeEndOfSession(error: Error): void {
  if (error instanceof ApiError && isEndOfSession(error.code)) sessionEnded()
}

/** The signed-in user. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: () => client.users.me(),
  staleTime: 60_000,
  retry: false,
})
