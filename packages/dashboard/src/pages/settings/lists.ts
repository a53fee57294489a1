import { queryOptions } from '@tanstack/react-query'
import { eachOf, type List } from '@tickwright/client'

/** With more things than this, a page says that it shows only these. */
export const mostShown = 1000

/** All things of a list, in the order of the service, up to {@link mostShown}. */
export function allOf<Item>(
  name: string,
  list: (part: { page?: number; limit: number }) => Promise<List<Item>>,
) {
  return queryOptions({
    queryKey: [name, 'all'],
    queryFn: async (): Promise<Item[]> => {
      const items: Item[] = []
      for await (const item of eachOf(list)) if (items.push(item) >= mostShown) break
      return items
    },
  })
}
