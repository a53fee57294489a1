import { askAsGuest } from '../../data/guest.ts'
import { Button } from '../../parts/Button.tsx'
import { TextField } from '../../parts/Field.tsx'
import { Form } from '../../parts/Form.tsx'

/** Asks the service to mail a link. */
export function AskForLink({ path, onSent }: { path: string; onSent: () => void }) {
  const send = async (data: FormData) => {
    await askAsGuest('POST', path, { email: String(data.get('email')).trim() })
    onSent()
  }
  return (
    <Form onSend={send} fields={['email']}>
      {(isSending, problemOf) => (
        <>
          <TextField
            label="E-mail address"
            name="email"
            type="email"
            autoComplete="username"
            required
            problem={problemOf('email')}
          />
          <Button type="submit" look="primary" isBusy={isSending}>
            Send me a link
          </Button>
        </>
      )}
    </Form>
  )
}
