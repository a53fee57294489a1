import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { ApiError, eachOf, type WebhookShare } from '@tickwright/client'
import { useState } from 'react'
import { formatNumber } from '../../base/numbers.ts'
import { client } from '../../data/client.ts'
import { useQuery } from '../../data/use-query.ts'
import type { Kind } from '../../data/webhooks.ts'
import { Button } from '../../parts/Button.tsx'
import { Buttons, Dialog } from '../../parts/Dialog.tsx'
import { TextField } from '../../parts/Field.tsx'
import { Form } from '../../parts/Form.tsx'
import { Empty, Failure, Notice, Skeleton } from '../../parts/Notice.tsx'
import { Section } from '../../parts/Page.tsx'
import { Table, type TableColumn } from '../../parts/Table.tsx'
import { Time } from '../../parts/Values.tsx'
import styles from './webhooks.module.css'

/** A webhook can have so many recipients. */
const mostShares = 1000

function sharesQuery(kind: Kind, id: number) {
  return queryOptions({
    queryKey: ['webhooks', kind, id, 'shares'],
    queryFn: async (): Promise<WebhookShare[]> => {
      const found: WebhookShare[] = []
      for await (const share of eachOf<WebhookShare>((page) => client.webhooks[kind].shares(id, page)))
        found.push(share)
      return found
    },
  })
}

/** Those who have an address of their own for this webhook. */
export function Sharing({ kind, id }: { kind: Kind; id: number }) {
  const query = sharesQuery(kind, id)
  const { data, error, refetch } = useQuery(query)
  const queries = useQueryClient()
  const [revoked, setRevoked] = useState<number | null>(null)
  const again = () => queries.invalidateQueries({ queryKey: query.queryKey })
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Skeleton />
  const columns: TableColumn<WebhookShare>[] = [
    { name: 'User', cell: ({ user_id }) => `User ${user_id}` },
    { name: 'Since', cell: ({ created_at }) => <Time at={created_at} /> },
    {
      name: 'Revoke',
      isNumber: true,
      cell: ({ user_id }) => (
        <Button look="quiet" onClick={() => setRevoked(user_id)}>
          Revoke
        </Button>
      ),
    },
  ]
  return (
    <>
      {data.length === 0 ? (
        <Empty title="You share this webhook with nobody">
          Each user with whom you share it gets an address of their own, which you can revoke.
        </Empty>
      ) : (
        <Table label="Shares" columns={columns} items={data} idOf={({ user_id }) => user_id} />
      )}
      <div className={styles.settings}>
        <Section title="Share it">
          {kind === 'bot' && (
            <Notice tone="warning">
              A user with whom you share a bot webhook can trade with your bots, and you can trade with
              theirs.
            </Notice>
          )}
          <Form
            fields={['userId']}
            onSend={async (form) => {
              await client.webhooks[kind].share(id, { userId: userIdOf(form) })
              await again()
            }}
          >
            {(isSending, problemOf) => (
              <>
                <TextField
                  label="Number of the user"
                  name="userId"
                  inputMode="numeric"
                  autoComplete="off"
                  hint={`The other user finds it in Settings under Account, and tells you. ${formatNumber(data.length)} of ${formatNumber(mostShares)} shares are used.`}
                  problem={problemOf('userId')}
                />
                <Buttons>
                  <Button type="submit" look="primary" isBusy={isSending}>
                    Share
                  </Button>
                </Buttons>
              </>
            )}
          </Form>
        </Section>
      </div>
      {revoked !== null && (
        <Dialog title={`Revoke the share of user ${revoked}`} onClose={() => setRevoked(null)}>
          <Form
            onSend={async () => {
              await client.webhooks[kind].unshare(id, { userId: revoked })
              await again()
              setRevoked(null)
            }}
          >
            {(isSending) => (
              <>
                <p>
                  The address of this user stops working at once, and the service detaches their{' '}
                  {kind === 'data' ? 'reactions' : 'bots, strategies and reactions'}. A new share has another
                  address.
                </p>
                <Buttons>
                  <Button onClick={() => setRevoked(null)}>Cancel</Button>
                  <Button type="submit" look="danger" isBusy={isSending}>
                    Revoke
                  </Button>
                </Buttons>
              </>
            )}
          </Form>
        </Dialog>
      )}
    </>
  )
}

/** @throws {ApiError} as the service does, for what is no number of a user */
function userIdOf(form: FormData): number {
  const text = String(form.get('userId') ?? '').trim()
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  const message = 'must be the number of a user, such as 7'
  throw new ApiError({
    status: 400,
    code: 'request_invalid',
    message: `The number of the user ${message}.`,
    details: [{ field: 'body.userId', message }],
  })
}
