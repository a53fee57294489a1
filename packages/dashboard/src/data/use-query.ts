import {
  type QueryClient,
  type QueryKey,
  useQuery as useFollowed,
  useInfiniteQuery as useFollowedParts,
  useQueryClient,
} from '@tanstack/react-query'

type Followed = { data: unknown; error: unknown; failureReason: unknown; refetch: () => Promise<unknown> }

/**
 * `useQuery`, whose `error` is there as soon as the first answer fails. The library asks again for minutes before it
 * says so, and until then a page could only show that it loads. An older answer stays on the page, and the status bar
 * says how old it is.
 */
export const useQuery = ((options: Parameters<typeof useFollowed>[0]) =>
  withFirstFailure(useFollowed(options), options.queryKey, useQueryClient())) as typeof useFollowed

/** The same for a list that is read part by part. */
export const useInfiniteQuery = ((options: Parameters<typeof useFollowedParts>[0]) =>
  withFirstFailure(useFollowedParts(options), options.queryKey, useQueryClient())) as typeof useFollowedParts

/** The library draws a component again only for what it has read of the result, so this reads no more than was asked. */
function withFirstFailure<Result extends Followed>(result: Result, queryKey: QueryKey, queries: QueryClient) {
  const first = () => (result.data === undefined ? result.failureReason : null)
  // What is asked again by itself waits up to 10 s. A user who asks does not.
  const refetch = async () => {
    if (result.error === null && first() !== null) await queries.cancelQueries({ queryKey, exact: true })
    return result.refetch()
  }
  return new Proxy(result, {
    get(_, name) {
      if (name === 'error') return result.error ?? first()
      return name === 'refetch' ? refetch : Reflect.get(result, name)
    },
  })
}
