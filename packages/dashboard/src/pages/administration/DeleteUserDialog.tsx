import { useQueryClient } from '@tanstack/react-query'
import type { User } from '@tickwright/client'
import { client } from '../../data/client.ts'
import { TextField } from '../../parts/Field.tsx'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { Foreign } from '../../parts/Values.tsx'
import styles from './administration.module.css'

/** Asks before a user is deleted, and names what ends. */
export function DeleteUserDialog({
  user,
  isSelf,
  onBack,
  onDone,
}: {
  user: User
  isSelf: boolean
  onBack: () => void
  onDone: () => void
}) {
  const queries = useQueryClient()
  const remove = async (data: FormData) => {
    await client.users.delete(user.id, isSelf ? { password: String(data.get('password')) } : {})
    for (const key of ['users', 'me']) await queries.invalidateQueries({ queryKey: [key] })
    onDone()
  }
  return (
    <FormDialog
      title="Delete this user"
      word="Delete the user"
      look="danger"
      onSend={remove}
      onClose={onBack}
      fields={isSelf ? ['password'] : []}
    >
      {(problemOf) => (
        <>
          <p>
            <Foreign text={user.email} /> and everything that belongs to the user is deleted at once. Nobody
            can bring it back:
          </p>
          <ul className={styles.bullets}>
            <li>strategies, reactions, their versions, storage and runs</li>
            <li>
              webhooks with their deliveries, also those that others share; their reactions are switched off
            </li>
            <li>signals, bots, orders, fills and the books of the bots</li>
            <li>connections, variables, endpoints, API keys and sessions</li>
          </ul>
          <p>
            If a live bot holds a position, or an order is unsettled, the service refuses, and names the bot.
            Nothing is sold.
          </p>
          {isSelf && (
            <TextField
              label="Your password"
              hint="This is your own account."
              name="password"
              type="password"
              autoComplete="current-password"
              problem={problemOf('password')}
            />
          )}
        </>
      )}
    </FormDialog>
  )
}
