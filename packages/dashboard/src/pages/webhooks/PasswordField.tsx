import { useState } from 'react'
import { Button } from '../../parts/Button.tsx'
import { TextField } from '../../parts/Field.tsx'
import { CopyButton } from '../../parts/Secret.tsx'
import { newPassword } from './form.ts'
import styles from './webhooks.module.css'

/** A new password for senders: typed, or made here. It is shown, because the service never shows it again. */
export function PasswordField({ problem }: { problem: string | undefined }) {
  const [password, setPassword] = useState('')
  const make = () => setPassword(newPassword((length) => crypto.getRandomValues(new Uint8Array(length))))
  return (
    <div className={styles.password}>
      <TextField
        label="Password for senders"
        name="has_key"
        maxLength={255}
        autoComplete="off"
        isCode
        value={password}
        onChange={(event) => setPassword(event.target.value)}
        hint="Copy it now: the service keeps only a hash, and never shows it again."
        problem={problem}
      />
      <div className={styles.passwordButtons}>
        <Button onClick={make}>Make one</Button>
        {password !== '' && <CopyButton text={password} name="password" />}
      </div>
    </div>
  )
}
