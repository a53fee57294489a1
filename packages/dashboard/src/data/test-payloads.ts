import { queryOptions } from '@tanstack/react-query'
import { client } from './client.ts'

/** The payloads that the user keeps for tests with a data webhook, without their bodies. */
export const testPayloadsQuery = (webhookId: number) =>
  queryOptions({
    queryKey: ['test-payloads', webhookId],
    queryFn: async () => {
      const list = await client.testPayloads.list({ webhook_id: webhookId })
      return Array.isArray(list) ? list : list.items
    },
  })
