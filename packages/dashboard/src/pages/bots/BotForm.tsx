import { useQueryClient } from '@tanstack/react-query'
import type { SignalBot, SignalBotInList } from '@tickwright/client'
import { useRef, useState } from 'react'
import { client } from '../../data/client.ts'
import { Button } from '../../parts/Button.tsx'
import { Buttons } from '../../parts/Dialog.tsx'
import { Form } from '../../parts/Form.tsx'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { Failure, Notice, Skeleton } from '../../parts/Notice.tsx'
import { BotFields, newWebhook } from './BotFields.tsx'
import { useChoices } from './choices.ts'
import { Plan } from './Plan.tsx'
import { bodyOf, botFields, changesOf, mustConfirm, withChanges } from './settings.ts'

/** The form of a new bot. */
export function NewBotForm({
  webhookId,
  folderId,
  onMade,
}: {
  webhookId?: number | undefined
  folderId?: number | undefined
  onMade: (bot: SignalBotInList) => void
}) {
  const queries = useQueryClient()
  const { choices, error, retry } = useChoices()
  // If the bot is refused after its webhook was made, the next attempt takes that webhook.
  const made = useRef<number | null>(null)
  const send = async (data: FormData) => {
    const wantsNew = data.get('webhook_id') === newWebhook
    if (wantsNew) data.set('webhook_id', String(made.current ?? ''))
    const body = bodyOf(data, true)
    if (wantsNew && made.current === null) {
      made.current = (await client.webhooks.bot.create({ name: body.name || 'Signals' })).id
      body.webhook_id = made.current
    }
    const bot = await client.bots.signal.create({ ...body, exchange_id: body.exchange_id ?? 0 })
    for (const key of ['bots', 'webhooks']) void queries.invalidateQueries({ queryKey: [key] })
    onMade(bot)
  }
  if (choices === undefined) return <Waiting error={error} onRetry={retry} />
  return (
    <Form onSend={send} fields={botFields}>
      {(isSending, problemOf) => (
        <>
          <BotFields
            choices={choices}
            webhookId={webhookId}
            folderId={folderId}
            modeIsFixed={null}
            problemOf={problemOf}
          />
          <Buttons>
            <Button type="submit" look="primary" isBusy={isSending}>
              Create the bot
            </Button>
          </Buttons>
        </>
      )}
    </Form>
  )
}

/** The form of a bot that exists. It asks first if real orders would differ from now on. */
export function EditBotForm({ bot, modeIsFixed }: { bot: SignalBot; modeIsFixed: string | null }) {
  const queries = useQueryClient()
  const { choices, error, retry } = useChoices()
  const [asked, setAsked] = useState<Partial<SignalBotInList> | null>(null)
  const [isSaved, setSaved] = useState(false)
  // What the form began with: a figure that arrives meanwhile must not undo what is being typed.
  const [begun, setBegun] = useState<SignalBotInList>(bot)
  const save = async (changes: Partial<SignalBotInList>) => {
    const saved = await client.bots.signal.update(bot.id, changes)
    setAsked(null)
    setBegun(saved)
    setSaved(true)
    await queries.invalidateQueries({ queryKey: ['bots'] })
  }
  if (choices === undefined) return <Waiting error={error} onRetry={retry} />
  return (
    <>
      <Form
        fields={botFields}
        onSend={async (data) => {
          setSaved(false)
          const changes = changesOf(bodyOf(data, false), begun)
          if (mustConfirm(bot, changes)) setAsked(changes)
          else await save(changes)
        }}
      >
        {(isSending, problemOf) => (
          <>
            <BotFields
              choices={choices}
              key={begun.updated_at}
              bot={begun}
              modeIsFixed={modeIsFixed}
              problemOf={problemOf}
            />
            <Buttons>
              <span role="status">{isSaved && 'Saved.'}</span>
              <Button type="submit" look="primary" isBusy={isSending}>
                Save
              </Button>
            </Buttons>
          </>
        )}
      </Form>
      {asked !== null && (
        <FormDialog
          title="Change a bot that trades"
          word="Save"
          look="danger"
          onSend={() => save(asked)}
          onClose={() => setAsked(null)}
        >
          <Plan bot={withChanges(begun, asked)} />
          <Notice tone="warning">The bot is on. It trades like this from its next signal.</Notice>
        </FormDialog>
      )}
    </>
  )
}

function Waiting({ error, onRetry }: { error: Error | null; onRetry: () => void }) {
  return error === null ? <Skeleton lines={9} /> : <Failure error={error} onRetry={onRetry} />
}
