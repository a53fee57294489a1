import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { User } from '@tickwright/client'
import { useState } from 'react'
import { plainText } from '../../base/text.ts'
import { client } from '../../data/client.ts'
import { Button } from '../../parts/Button.tsx'
import { Buttons, Dialog } from '../../parts/Dialog.tsx'
import { Facts } from '../../parts/Facts.tsx'
import { TextField } from '../../parts/Field.tsx'
import { Form } from '../../parts/Form.tsx'
import { Status } from '../../parts/Marks.tsx'
import { Failure, Notice } from '../../parts/Notice.tsx'
import { Time } from '../../parts/Values.tsx'
import styles from './administration.module.css'
import { DeleteUserDialog } from './DeleteUserDialog.tsx'
import { LimitsDialog } from './LimitsDialog.tsx'

type Props = { user: User; isSelf: boolean; isLastAdministrator: boolean; onClose: () => void }

type Way = {
  word: string
  title: string
  text: string
  changes: { role?: User['role']; status?: User['status']; totp?: false }
  done: string
  unavailable?: string | null
}

/** Everything that an administrator can change about a user. Each change says what it does before it is made. */
export function UserDialog(props: Props) {
  const { user, isSelf, isLastAdministrator, onClose } = props
  const queries = useQueryClient()
  const [step, setStep] = useState<'delete' | 'limits' | null>(null)
  const [underWay, setUnderWay] = useState<string | null>(null)
  const [done, setDone] = useState<string | null>(null)
  const [error, setError] = useState<unknown>(undefined)
  const refresh = () =>
    Promise.all([['users'], ['me']].map((queryKey) => queries.invalidateQueries({ queryKey })))
  const run = async ({ word, changes, done }: Way) => {
    setUnderWay(word)
    setError(undefined)
    setDone(null)
    try {
      await client.users.update(user.id, changes)
      await refresh()
      setDone(done)
    } catch (thrown) {
      setError(thrown)
    } finally {
      setUnderWay(null)
    }
  }
  const rename = async (data: FormData) => {
    setDone(null)
    await client.users.update(user.id, { name: String(data.get('name')) })
    await refresh()
    setDone('The name is saved.')
  }
  const back = () => setStep(null)
  if (step === 'delete') {
    return <DeleteUserDialog user={user} isSelf={isSelf} onBack={back} onDone={onClose} />
  }
  if (step === 'limits') {
    const saved = () => {
      back()
      setDone('The limits are saved.')
    }
    return <LimitsDialog user={user} onBack={back} onSaved={saved} />
  }
  const last = isLastAdministrator ? 'The last administrator stays.' : null
  return (
    <Dialog title={plainText(user.email)} onClose={onClose} isWide>
      <Facts
        facts={[
          ['Role', user.role === 'admin' ? 'Administrator' : 'User'],
          ['Status', <Status key="status" status={user.status} />],
          ['Number', user.id],
          ['Created', <Time key="created" at={user.created_at} />],
          [
            'Security events',
            <Link key="events" to="/administration" search={{ tab: 'audit', user: user.id }}>
              Show
            </Link>,
          ],
        ]}
      />
      <Form onSend={rename} fields={['name']}>
        {(isSending, problemOf) => (
          <div className={styles.pair}>
            <TextField
              label="Name"
              name="name"
              defaultValue={user.name}
              maxLength={255}
              autoComplete="off"
              problem={problemOf('name')}
            />
            <Button type="submit" isBusy={isSending}>
              Save
            </Button>
          </div>
        )}
      </Form>
      <ul className={styles.ways}>
        {waysOf(user, isSelf, last).map((way) => (
          <li key={way.title}>
            <div>
              <h3>{way.title}</h3>
              <p>{way.text}</p>
            </div>
            <Button
              isBusy={underWay === way.word}
              unavailable={
                underWay !== null && underWay !== way.word ? 'Another change is under way.' : way.unavailable
              }
              onClick={() => void run(way)}
            >
              {way.word}
            </Button>
          </li>
        ))}
        <li>
          <div>
            <h3>Limits</h3>
            <p>How many strategies, webhooks, bots and other things the user may have.</p>
          </div>
          <Button onClick={() => setStep('limits')}>Change …</Button>
        </li>
        <li>
          <div>
            <h3>Delete the user</h3>
            <p>Everything that belongs to the user is deleted too. The next step names it, and asks.</p>
          </div>
          <Button look="danger" unavailable={last} onClick={() => setStep('delete')}>
            Delete …
          </Button>
        </li>
      </ul>
      <div aria-live="assertive">
        {done !== null && <Notice>{done}</Notice>}
        {error !== undefined && <Failure error={error} isChange />}
      </div>
      <Buttons>
        <Button onClick={onClose}>Back</Button>
      </Buttons>
    </Dialog>
  )
}

function waysOf({ role, status }: User, isSelf: boolean, last: string | null): Way[] {
  const isOn = status === 'ACTIVE'
  const you = isSelf ? ' This is your own account: you are signed out at once.' : ''
  return [
    isOn
      ? {
          word: 'Disable',
          title: 'Disable the user',
          text: `Sessions end and API keys stop working at once. Strategies, webhooks and bots are switched off; a run under way still finishes. Positions stay open.${you}`,
          changes: { status: 'DISABLED' },
          done: 'The user is disabled. Positions stay open.',
          unavailable: last,
        }
      : {
          word: 'Enable',
          title: 'Enable the user',
          text: 'The user can sign in, and API keys work again. Strategies, webhooks and bots stay off until the user switches them on.',
          changes: { status: 'ACTIVE' },
          done: 'The user is enabled. What was switched off stays off.',
        },
    role === 'user'
      ? {
          word: 'Make administrator',
          title: 'Give the role of administrator',
          text: 'An administrator sees and changes all users, switches exchanges and live trading, and can halt all trading.',
          changes: { role: 'admin' },
          done: 'The user is an administrator.',
        }
      : {
          word: 'Make user',
          title: 'Take away the role of administrator',
          text: 'The user keeps the account. Invitations that the user has sent become invalid.',
          changes: { role: 'user' },
          done: 'The user is no administrator any more.',
          unavailable: last,
        },
    {
      word: 'Turn off',
      title: 'Turn the second factor off',
      text: 'For a user who has lost it. The password alone is then enough to sign in.',
      changes: { totp: false },
      done: 'The second factor is off.',
    },
  ]
}
