import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { SignalBot } from '@tickwright/client'
import { useState } from 'react'
import { client } from '../../data/client.ts'
import { useQuery } from '../../data/use-query.ts'
import { Button } from '../../parts/Button.tsx'
import { Buttons } from '../../parts/Dialog.tsx'
import { Form } from '../../parts/Form.tsx'
import { Section } from '../../parts/Page.tsx'
import { EditBotForm } from './BotForm.tsx'
import { DeleteDialog } from './DeleteDialog.tsx'
import styles from './settings.module.css'

/** The settings of a bot, a copy of it, and its end. */
export function Settings({ bot }: { bot: SignalBot }) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [isDeleting, setDeleting] = useState(false)
  const { data: hasTraded = false } = useQuery({
    queryKey: ['fills', 'bot', bot.id, 'any'],
    queryFn: async () => {
      const answer = await client.fills.list({ bot_id: bot.id, limit: 1 })
      return (Array.isArray(answer) ? answer : answer.items).length > 0
    },
  })
  const duplicate = async () => {
    const { id } = await client.bots.signal.duplicate({ id: bot.id })
    void queries.invalidateQueries({ queryKey: ['bots'] })
    void navigate({ to: '/bots/$id', params: { id: String(id) }, search: { tab: 'settings' } })
  }
  return (
    <div className={styles.settings}>
      <EditBotForm
        bot={bot}
        modeIsFixed={hasTraded ? 'The bot has traded. Make a copy of it to trade in the other mode.' : null}
      />
      <Section title="Copy">
        <Form onSend={duplicate}>
          {(isSending) => (
            <>
              <p>A copy has the same settings and books of its own. It is off at first.</p>
              <Buttons>
                <Button type="submit" isBusy={isSending}>
                  Make a copy
                </Button>
              </Buttons>
            </>
          )}
        </Form>
      </Section>
      <Section title="Delete">
        <p>Orders and fills of a deleted bot stay.</p>
        <Buttons>
          <Button look="danger" onClick={() => setDeleting(true)}>
            Delete …
          </Button>
        </Buttons>
      </Section>
      {isDeleting && (
        <DeleteDialog
          bot={bot}
          onClose={() => setDeleting(false)}
          onDeleted={() => void navigate({ to: '/bots' })}
        />
      )}
    </div>
  )
}
