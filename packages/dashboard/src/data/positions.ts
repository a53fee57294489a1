import { queryOptions } from '@tanstack/react-query'
import { eachOf, type Position } from '@tickwright/client'
import { client } from './client.ts'

/** All open positions of all bots. */
export const positionsQuery = queryOptions({
  queryKey: ['positions', 'all'],
  queryFn: async (): Promise<Position[]> => {
    const positions: Position[] = []
    for await (const position of eachOf((part: { page?: number; limit: number }) =>
      client.positions.list(part),
    ))
      positions.push(position)
    return positions
  },
  // Their value moves with prices, which no event tells.
  refetchInterval: 5000,
})
