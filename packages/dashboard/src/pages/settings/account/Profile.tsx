import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { client } from '../../../data/client.ts'
import { meQuery } from '../../../data/queries.ts'
import { Button } from '../../../parts/Button.tsx'
import { TextField } from '../../../parts/Field.tsx'
import { Form } from '../../../parts/Form.tsx'
import { Notice } from '../../../parts/Notice.tsx'
import { Section } from '../../../parts/Page.tsx'
import { Foreign } from '../../../parts/Values.tsx'
import { textOf } from '../form-data.ts'
import styles from '../settings.module.css'
import { CodeField, PasswordField } from './credentials.tsx'
import { atFields } from './refusals.ts'

/** The name of the user. */
export function NameForm() {
  const queries = useQueryClient()
  const { data: me } = useSuspenseQuery(meQuery)
  const [isSaved, setSaved] = useState(false)
  const save = async (data: FormData) => {
    setSaved(false)
    await client.users.update(me.id, { name: textOf(data, 'name').trim() })
    await queries.invalidateQueries({ queryKey: ['me'] })
    setSaved(true)
  }
  return (
    <Section title="Name">
      <div className={styles.form}>
        <Form onSend={save} fields={['name']}>
          {(isSending, problemOf) => (
            <>
              <TextField
                label="Your name"
                name="name"
                defaultValue={me.name}
                autoComplete="name"
                problem={problemOf('name')}
              />
              <Save word="Save the name" isSending={isSending} done={isSaved && 'The name is saved.'} />
            </>
          )}
        </Form>
      </div>
    </Section>
  )
}

type EmailOutcome = { email: string; changed: boolean }

/** The address that the user signs in with. */
export function EmailForm() {
  const queries = useQueryClient()
  const { data: me } = useSuspenseQuery(meQuery)
  const [outcome, setOutcome] = useState<EmailOutcome | null>(null)
  const ask = async (data: FormData) => {
    setOutcome(null)
    const email = textOf(data, 'email').trim()
    const totp = textOf(data, 'totp').trim()
    const request = client.users.setEmail({
      email,
      password: textOf(data, 'password'),
      ...(totp === '' ? {} : { totp }),
    })
    const { changed } = await atFields(request, { password: 'password', code: 'totp' })
    setOutcome({ email, changed })
    await queries.invalidateQueries({ queryKey: ['me'] })
  }
  return (
    <Section title="E-mail address">
      <p>
        You sign in with <Foreign text={me.email} />, and the service sends mail there.
      </p>
      {me.email === 'admin@localhost' && (
        <Notice tone="warning">Nobody receives mail at this address. Change it to one of your own.</Notice>
      )}
      {outcome !== null && (
        <Notice>
          {outcome.changed ? (
            <>
              From now on, sign in with <Foreign text={outcome.email} />.
            </>
          ) : (
            <>
              The service sends a link to <Foreign text={outcome.email} />. The address changes once you open
              it, within a day.
            </>
          )}
        </Notice>
      )}
      <div className={styles.form}>
        {/* After a change, the fields are empty again. */}
        <Form key={outcome?.email} onSend={ask} fields={['email', 'password', 'totp']}>
          {(isSending, problemOf) => (
            <>
              <TextField
                label="New address"
                name="email"
                type="email"
                autoComplete="email"
                problem={problemOf('email')}
              />
              <PasswordField problem={problemOf('password')} />
              {me.totp && <CodeField name="totp" problem={problemOf('totp')} />}
              <Save word="Change the address" isSending={isSending} />
            </>
          )}
        </Form>
      </div>
    </Section>
  )
}

/** A new password. All other sessions end with it. */
export function PasswordForm() {
  const queries = useQueryClient()
  const { data: me } = useSuspenseQuery(meQuery)
  const [changes, setChanges] = useState(0)
  const change = async (data: FormData) => {
    const request = client.users.setPassword({
      password: textOf(data, 'password'),
      new_password: textOf(data, 'new_password'),
    })
    await atFields(request, { password: 'password' })
    setChanges(changes + 1)
    await queries.invalidateQueries({ queryKey: ['sessions'] })
  }
  return (
    <Section title="Password">
      {changes > 0 && <Notice>The password is changed. All your other sessions have ended.</Notice>}
      <div className={styles.form}>
        <Form key={changes} onSend={change} fields={['password', 'new_password']}>
          {(isSending, problemOf) => (
            <>
              {/* For password managers, which store a password with its name. */}
              <input type="text" name="username" autoComplete="username" value={me.email} readOnly hidden />
              <PasswordField label="Current password" problem={problemOf('password')} />
              <TextField
                label="New password"
                name="new_password"
                type="password"
                autoComplete="new-password"
                hint="At least 12 characters. All your other sessions end."
                problem={problemOf('new_password')}
              />
              <Save word="Change the password" isSending={isSending} />
            </>
          )}
        </Form>
      </div>
    </Section>
  )
}

function Save({
  word,
  isSending,
  done = false,
}: {
  word: string
  isSending: boolean
  done?: string | false
}) {
  return (
    <div className={styles.save}>
      <Button type="submit" isBusy={isSending}>
        {word}
      </Button>
      <span role="status" className={styles.soft}>
        {done}
      </span>
    </div>
  )
}
