import { useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { client } from '../../../data/client.ts'
import { meQuery } from '../../../data/queries.ts'
import { Button } from '../../../parts/Button.tsx'
import { Confirm } from '../../../parts/FormDialog.tsx'
import { Section } from '../../../parts/Page.tsx'
import { Foreign } from '../../../parts/Values.tsx'
import { signOut } from '../../../shell/sign-out.ts'
import { textOf } from '../form-data.ts'
import styles from '../settings.module.css'
import { PasswordField } from './credentials.tsx'
import { atFields } from './refusals.ts'

/** Lets users delete themselves, with all that is theirs. */
export function DeleteAccount() {
  const { data: me } = useSuspenseQuery(meQuery)
  const [isAsking, setAsking] = useState(false)
  const remove = async (data: FormData) => {
    await atFields(client.users.delete(me.id, { password: textOf(data, 'password') }), {
      password: 'password',
    })
    await signOut()
  }
  return (
    <Section title="Delete the account" actions={<Button onClick={() => setAsking(true)}>Delete …</Button>}>
      <p className={styles.why}>This deletes you and everything that is yours in this installation.</p>
      {isAsking && (
        <Confirm
          title="Delete your account"
          word="Delete everything"
          onConfirm={remove}
          onClose={() => setAsking(false)}
          fields={['password']}
        >
          {(problemOf) => (
            <>
              <p>
                The service deletes <Foreign text={me.email} /> with all strategies, runs, webhooks,
                deliveries, signals, bots and their books. Nobody can bring them back. It refuses while a live
                bot holds a position.
              </p>
              <PasswordField autoFocus problem={problemOf('password')} />
            </>
          )}
        </Confirm>
      )}
    </Section>
  )
}
