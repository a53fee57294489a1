import { useQueryClient } from '@tanstack/react-query'
import type { User } from '@tickwright/client'
import { formatNumber } from '../../base/numbers.ts'
import { plainText } from '../../base/text.ts'
import { client } from '../../data/client.ts'
import { changedLimits, type LimitRow, limitRows } from '../../data/limits.ts'
import { limitsQuery } from '../../data/limits-query.ts'
import { useQuery } from '../../data/use-query.ts'
import { Button } from '../../parts/Button.tsx'
import { Buttons, Dialog } from '../../parts/Dialog.tsx'
import { TextField } from '../../parts/Field.tsx'
import { Form } from '../../parts/Form.tsx'
import { Failure, Skeleton } from '../../parts/Notice.tsx'
import styles from './administration.module.css'

/** How many things of each kind a user may have: a field for each limit, empty where that of the installation counts. */
export function LimitsDialog({
  user,
  onBack,
  onSaved,
}: {
  user: User
  onBack: () => void
  onSaved: () => void
}) {
  const { data, error, refetch } = useQuery(limitsQuery(user.id))
  return (
    <Dialog title={`Limits of ${plainText(user.email)}`} onClose={onBack} isWide>
      <p>
        How many things of each kind the user may have. A limit applies at once. A user who has more keeps it,
        but creates nothing new.
      </p>
      {data === undefined ? (
        <>
          {error === null ? <Skeleton /> : <Failure error={error} onRetry={() => void refetch()} />}
          <Buttons>
            <Button onClick={onBack}>Back</Button>
          </Buttons>
        </>
      ) : (
        <Fields userId={user.id} rows={limitRows(data, user.role === 'admin')} {...{ onBack, onSaved }} />
      )}
    </Dialog>
  )
}

function Fields({
  userId,
  rows,
  onBack,
  onSaved,
}: {
  userId: number
  rows: readonly LimitRow[]
  onBack: () => void
  onSaved: () => void
}) {
  const queries = useQueryClient()
  const save = async (data: FormData) => {
    const limits = await client.users.limits.update(userId, changedLimits(data, rows))
    queries.setQueryData(limitsQuery(userId).queryKey, limits)
    onSaved()
  }
  return (
    <Form onSend={save} fields={rows.map(({ name }) => name)}>
      {(isSending, problemOf) => (
        <>
          <div className={styles.limits}>
            {rows.map((row) => (
              <TextField
                key={row.name}
                label={row.title}
                name={row.name}
                inputMode="numeric"
                autoComplete="off"
                defaultValue={row.own ?? ''}
                placeholder={formatNumber(row.default)}
                hint={`${formatNumber(row.used)} in use, default ${formatNumber(row.default)}`}
                problem={problemOf(row.name)}
              />
            ))}
          </div>
          <Buttons>
            <Button onClick={onBack}>Cancel</Button>
            <Button type="submit" look="primary" isBusy={isSending}>
              Save the limits
            </Button>
          </Buttons>
        </>
      )}
    </Form>
  )
}
