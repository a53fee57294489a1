import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { client } from '../../../data/client.ts'
import { meQuery } from '../../../data/queries.ts'
import { Button } from '../../../parts/Button.tsx'
import { Buttons, Dialog } from '../../../parts/Dialog.tsx'
import { Confirm, FormDialog } from '../../../parts/FormDialog.tsx'
import { Notice } from '../../../parts/Notice.tsx'
import { Section } from '../../../parts/Page.tsx'
import { CopyButton, Secret } from '../../../parts/Secret.tsx'
import { textOf } from '../form-data.ts'
import styles from '../settings.module.css'
import { CodeField, PasswordField } from './credentials.tsx'
import { QrCode } from './QrCode.tsx'
import { atFields } from './refusals.ts'

/** Whether signing in needs a code as well, and the way to change that. */
export function SecondFactor() {
  const { data: me } = useSuspenseQuery(meQuery)
  const [open, setOpen] = useState<'on' | 'off' | null>(null)
  const close = () => setOpen(null)
  return (
    <Section
      title="Second factor"
      actions={
        me.totp ? (
          <Button onClick={() => setOpen('off')}>Switch off</Button>
        ) : (
          <Button onClick={() => setOpen('on')}>Set up</Button>
        )
      }
    >
      <p className={styles.why}>
        {me.totp
          ? 'It is on: signing in needs a code of your authenticator, or a recovery code.'
          : 'It is off: anyone who has your password can sign in. With it, signing in also needs a code of an app on your phone.'}
      </p>
      {open === 'on' && <SetUp onClose={close} />}
      {open === 'off' && <SwitchOff onClose={close} />}
    </Section>
  )
}

type Prepared = { secret: string; uri: string }

/** Asks for the password, shows the secret, takes the first code, and shows the recovery codes: one after another. */
function SetUp({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient()
  const [prepared, setPrepared] = useState<Prepared | null>(null)
  const [codes, setCodes] = useState<string[] | null>(null)
  const prepare = async (data: FormData) => {
    const request = client.users.totp.create({ password: textOf(data, 'password') })
    setPrepared(await atFields(request, { password: 'password' }))
  }
  const enable = async (data: FormData) => {
    const request = client.users.totp.enable({ code: textOf(data, 'code').trim() })
    const { recovery_codes } = await atFields(request, { code: 'code' })
    setCodes(recovery_codes)
    void queries.invalidateQueries({ queryKey: ['me'] })
  }
  if (codes !== null) return <RecoveryCodes codes={codes} onClose={onClose} />
  if (prepared !== null) return <FirstCode prepared={prepared} onSend={enable} onClose={onClose} />
  return (
    <FormDialog
      title="Set up the second factor"
      word="Continue"
      onSend={prepare}
      onClose={onClose}
      fields={['password']}
    >
      {(problemOf) => <PasswordField autoFocus problem={problemOf('password')} />}
    </FormDialog>
  )
}

function FirstCode({
  prepared: { uri, secret },
  onSend,
  onClose,
}: {
  prepared: Prepared
  onSend: (data: FormData) => Promise<void>
  onClose: () => void
}) {
  const code = useRef<HTMLInputElement>(null)
  // The dialog gives the focus to its first button once it is open, and most people type the code next.
  useEffect(() => code.current?.focus(), [])
  return (
    <FormDialog title="Scan the code" word="Switch on" onSend={onSend} onClose={onClose} fields={['code']}>
      {(problemOf) => (
        <>
          <p>
            Scan this with an authenticator app, or type the secret into it. Then enter the code that the app
            shows.
          </p>
          <QrCode text={uri} name="QR code of the secret" />
          <Secret text={secret} name="secret" />
          <CodeField name="code" hint="Six digits." ref={code} problem={problemOf('code')} />
        </>
      )}
    </FormDialog>
  )
}

/** Only the button closes it, so that Escape loses no codes. */
function RecoveryCodes({ codes, onClose }: { codes: string[]; onClose: () => void }) {
  return (
    <Dialog title="Your recovery codes">
      <Notice tone="warning">
        The second factor is on. Store these codes now: nobody can show them again. Each signs you in once if
        you lose your phone.
      </Notice>
      <ul className={styles.codes} aria-label="Recovery codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <Buttons>
        <CopyButton text={codes.join('\n')} name="recovery codes" />
        <Button look="primary" onClick={onClose}>
          I have stored them
        </Button>
      </Buttons>
    </Dialog>
  )
}

function SwitchOff({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient()
  const disable = async (data: FormData) => {
    const request = client.users.totp.disable({
      password: textOf(data, 'password'),
      code: textOf(data, 'code').trim(),
    })
    await atFields(request, { password: 'password', code: 'code' })
    await queries.invalidateQueries({ queryKey: ['me'] })
  }
  return (
    <Confirm
      title="Switch the second factor off"
      word="Switch off"
      onConfirm={disable}
      onClose={onClose}
      fields={['password', 'code']}
    >
      {(problemOf) => (
        <>
          <p>Then anyone who has your password can sign in. The recovery codes stop working.</p>
          <PasswordField autoFocus problem={problemOf('password')} />
          <CodeField name="code" problem={problemOf('code')} />
        </>
      )}
    </Confirm>
  )
}
