import { useState } from 'react'
import { PayloadSender } from '../../data/post.ts'
import type { Kind, Webhook } from '../../data/webhooks.ts'
import { Button } from '../../parts/Button.tsx'
import { Code } from '../../parts/Code.tsx'
import { Buttons } from '../../parts/Dialog.tsx'
import { TextArea, TextField } from '../../parts/Field.tsx'
import { Form } from '../../parts/Form.tsx'
import { Notice } from '../../parts/Notice.tsx'
import { Section } from '../../parts/Page.tsx'
import { Tabs } from '../../parts/Tabs.tsx'
import type { AlertFormat } from './form.ts'
import { payloadFor, snippetsFor } from './snippets.ts'

/** Where to post. A recipient does not know whether the owner asks for a password: `is_safe` is then `null`. */
type Target =
  | (Pick<Webhook, 'url' | 'is_safe' | 'key_from'> & { format?: AlertFormat })
  | { url: string; is_safe: null; format?: never }

/** Programs to copy, and a form that sends a payload from here. */
export function HowToSend({
  kind,
  target,
  readUrl,
}: {
  kind: Kind
  target: Target
  /** Reads the address as it is now. */
  readUrl: () => Promise<string>
}) {
  const { url, is_safe, format = 'tickwright' } = target
  const [chosen, setChosen] = useState('curl')
  const keyFrom = target.is_safe === null ? 'header_or_body' : target.key_from
  const snippets = snippetsFor({ url, kind, format, needsKey: is_safe === true, keyFrom })
  return (
    <>
      <Notice tone="warning">
        Each of these contains the secret address
        {is_safe ? ', and YOUR_PASSWORD stands for the password' : ''}. Anyone who has{' '}
        {is_safe ? 'both' : 'it'} can send to this webhook.
      </Notice>
      <Tabs
        label="Programs"
        chosen={chosen}
        onChoose={setChosen}
        tabs={snippets.map(({ id, name, text, notes, warning }) => ({
          id,
          name,
          content: (
            <>
              {warning !== undefined && <Notice tone="warning">{warning}</Notice>}
              <Code text={text} name={name} />
              <ul>
                {notes.map((note) => (
                  <li key={note}>{note}</li>
                ))}
              </ul>
            </>
          ),
        }))}
      />
      <Section title="Send from here">
        <Send kind={kind} format={format} isSafe={is_safe} readUrl={readUrl} />
      </Section>
    </>
  )
}

/** Posts as any sender does, and shows the answer as it came. */
function Send({
  kind,
  format,
  isSafe,
  readUrl,
}: {
  kind: Kind
  format: AlertFormat
  isSafe: boolean | null
  readUrl: () => Promise<string>
}) {
  const [sender] = useState(() => new PayloadSender())
  const [answer, setAnswer] = useState<{ status: number; text: string } | null>(null)
  const example = JSON.stringify(payloadFor({ kind, format }), null, 2)
  return (
    <Form
      onSend={async (data) => {
        setAnswer(null)
        const url = await readUrl()
        setAnswer(await sender.post(url, String(data.get('payload')), String(data.get('password') ?? '')))
      }}
    >
      {(isSending) => (
        <>
          <TextArea label="Payload" name="payload" defaultValue={example} rows={6} isCode />
          {isSafe !== false && (
            <TextField
              label="Password"
              name="password"
              type="password"
              autoComplete="off"
              hint={isSafe === null ? 'Only if the owner of the webhook asks for one.' : undefined}
            />
          )}
          {kind === 'bot' && (
            <Notice tone="warning">
              A signal makes the bots of this webhook trade, as any other signal does. With "flag": "TEST", it
              is only checked.
            </Notice>
          )}
          <Buttons>
            <Button type="submit" look="primary" isBusy={isSending}>
              Send
            </Button>
          </Buttons>
          <div aria-live="polite">
            {answer !== null && (
              <Code text={`${answer.status}\n${answer.text}`} name="Answer" canCopy={false} />
            )}
          </div>
        </>
      )}
    </Form>
  )
}
