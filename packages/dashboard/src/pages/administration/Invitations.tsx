import { useQueryClient } from '@tanstack/react-query'
import type { Invitation } from '@tickwright/client'
import { useState } from 'react'
import { count } from '../../base/numbers.ts'
import { plainText } from '../../base/text.ts'
import { client } from '../../data/client.ts'
import { useQuery } from '../../data/use-query.ts'
import { Button } from '../../parts/Button.tsx'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { Empty, Failure, Skeleton } from '../../parts/Notice.tsx'
import { Table, type TableColumn } from '../../parts/Table.tsx'
import { Distance, Foreign, Time } from '../../parts/Values.tsx'
import styles from './administration.module.css'
import { invitationsQuery } from './administration.ts'
import { InviteDialog } from './InviteDialog.tsx'

/** The invitations that are still valid, those of all administrators. */
export function Invitations() {
  const { data, error, refetch } = useQuery(invitationsQuery)
  const [isInviting, setInviting] = useState(false)
  const [withdrawing, setWithdrawing] = useState<Invitation | null>(null)
  const columns: TableColumn<Invitation>[] = [
    { name: 'Person', cell: ({ email }) => <Foreign text={email} /> },
    { name: 'Role', isWide: true, cell: ({ role }) => (role === 'admin' ? 'Administrator' : 'User') },
    { name: 'Sent', isNumber: true, isWide: true, cell: ({ created_at }) => <Time at={created_at} /> },
    { name: 'Ends', isNumber: true, cell: ({ expires_at }) => <Distance at={expires_at} /> },
    {
      name: 'Withdraw',
      isNumber: true,
      cell: (invitation) => (
        <Button
          look="quiet"
          aria-label={`Withdraw the invitation of ${plainText(invitation.email)}`}
          onClick={() => setWithdrawing(invitation)}
        >
          Withdraw
        </Button>
      ),
    },
  ]
  const invite = (
    <Button look="primary" onClick={() => setInviting(true)}>
      Invite
    </Button>
  )
  return (
    <>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton lines={4} />}
      {data?.length === 0 && (
        <Empty title="No invitation is open" action={invite}>
          An invitation is a link with which a person creates an account. It is valid once, for seven days. An
          accepted or expired one disappears from here.
        </Empty>
      )}
      {data !== undefined && data.length > 0 && (
        <>
          <div className={styles.bar}>
            <span className={styles.total}>{count(data.length, 'invitation')}</span>
            {invite}
          </div>
          <Table label="Invitations" columns={columns} items={data} idOf={({ id }) => id} />
        </>
      )}
      {isInviting && <InviteDialog onClose={() => setInviting(false)} />}
      {withdrawing !== null && (
        <WithdrawDialog invitation={withdrawing} onClose={() => setWithdrawing(null)} />
      )}
    </>
  )
}

function WithdrawDialog({ invitation, onClose }: { invitation: Invitation; onClose: () => void }) {
  const queries = useQueryClient()
  const withdraw = async () => {
    await client.users.invitations.delete(invitation.id)
    await queries.invalidateQueries({ queryKey: ['users', 'invitations'] })
    onClose()
  }
  return (
    <FormDialog
      title="Withdraw this invitation"
      word="Withdraw"
      look="danger"
      onSend={withdraw}
      onClose={onClose}
    >
      <p>
        The link of <Foreign text={invitation.email} /> becomes invalid. An account that was already created
        with it stays.
      </p>
    </FormDialog>
  )
}
