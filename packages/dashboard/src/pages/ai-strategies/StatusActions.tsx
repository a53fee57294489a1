import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { AiReaction } from '@tickwright/client'
import { useState } from 'react'
import { formatNumber } from '../../base/numbers.ts'
import { routesQuery } from '../../data/approvals.ts'
import { client } from '../../data/client.ts'
import { targetOf } from '../../data/targets.ts'
import { useOnce } from '../../data/use-once.ts'
import { useQuery } from '../../data/use-query.ts'
import { Button } from '../../parts/Button.tsx'
import { Buttons, Dialog } from '../../parts/Dialog.tsx'
import { Form } from '../../parts/Form.tsx'
import { Mode } from '../../parts/Marks.tsx'
import { Failure } from '../../parts/Notice.tsx'
import { Foreign } from '../../parts/Values.tsx'
import styles from './reaction.module.css'

/** Switches a reaction on and off, and deletes it. To switch on and to delete, it asks first. */
export function StatusActions({ reaction, isDirty }: { reaction: AiReaction; isDirty: boolean }) {
  const [asking, setAsking] = useState<'switch on' | 'delete' | null>(null)
  const { run, isBusy, error } = useStatus(reaction.id, 'INACTIVE')
  const isOff = reaction.status === 'INACTIVE'
  const missing =
    reaction.connection_id === null
      ? 'The reaction has no model.'
      : reaction.prompt.trim() === ''
        ? 'The reaction has no prompt.'
        : isDirty
          ? 'Save or discard your changes first.'
          : null
  return (
    <>
      {error !== null && <Failure error={error} isChange />}
      {isOff ? (
        <Button look="primary" unavailable={missing} onClick={() => setAsking('switch on')}>
          Switch on
        </Button>
      ) : (
        <Button isBusy={isBusy} onClick={run}>
          Switch off
        </Button>
      )}
      <Button onClick={() => setAsking('delete')}>Delete</Button>
      {asking === 'switch on' && <SwitchOnDialog reaction={reaction} onClose={() => setAsking(null)} />}
      {asking === 'delete' && <DeleteDialog reaction={reaction} onClose={() => setAsking(null)} />}
    </>
  )
}

/** Ends a suspension, or begins and ends that a reaction runs. */
export function useStatus(id: number, status: 'ACTIVE' | 'INACTIVE') {
  const queries = useQueryClient()
  return useOnce(
    () => client.reactions.llm.setStatus(id, { status }),
    () => queries.invalidateQueries({ queryKey: ['strategies'] }),
  )
}

function SwitchOnDialog({ reaction, onClose }: { reaction: AiReaction; onClose: () => void }) {
  const queries = useQueryClient()
  const { data: routes } = useQuery({ ...routesQuery, staleTime: 0 })
  const target = routes && targetOf(reaction.id, routes)
  const switchOn = async () => {
    try {
      await client.reactions.llm.setStatus(reaction.id, { status: 'ACTIVE' })
    } finally {
      await queries.invalidateQueries({ queryKey: ['strategies'] })
    }
    onClose()
  }
  return (
    <Dialog title="Switch this reaction on" onClose={onClose}>
      <Form onSend={switchOn}>
        {(isSending) => (
          <>
            <p>
              Each payload asks the model, for at most {formatNumber(reaction.tokens_per_day)} tokens a day.
              Your provider charges for them.
            </p>
            <p>
              <Foreign text={actsHow(reaction)} />
            </p>
            {reaction.send_signal && target !== undefined && target.bots.length > 0 && (
              <ul className={styles.bots}>
                {target.bots.map(({ id, name, mode, demo }) => (
                  <li key={id}>
                    <Mode mode={mode} demo={demo} /> <Foreign text={name || `Bot ${id}`} />
                  </li>
                ))}
              </ul>
            )}
            {reaction.send_signal && target?.hasOthers && (
              <p>Another user shares the bot webhook with you: bots of others may follow it too.</p>
            )}
            <Buttons>
              <Button onClick={onClose}>Cancel</Button>
              <Button type="submit" look="primary" isBusy={isSending}>
                Switch on
              </Button>
            </Buttons>
          </>
        )}
      </Form>
    </Dialog>
  )
}

function actsHow({ send_signal, needs_approval, webhook_id, actions, symbol }: AiReaction): string {
  if (!send_signal || actions.length === 0) return 'The model cannot act.'
  const what = `It may send ${actions.join(', ')}${symbol === null ? '' : ` of ${symbol}`}`
  const where = webhook_id === null ? 'and the service only records that' : 'to the bots that follow it'
  return `${what} ${where}${needs_approval ? ', each time after your approval.' : ', without asking you.'}`
}

function DeleteDialog({ reaction, onClose }: { reaction: AiReaction; onClose: () => void }) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const remove = async () => {
    await client.reactions.llm.delete(reaction.id)
    queries.removeQueries({ queryKey: ['strategies', 'llm', reaction.id] })
    await navigate({ to: '/ai-reactions' })
    void queries.invalidateQueries({ queryKey: ['strategies'] })
  }
  return (
    <Dialog title="Delete this reaction" onClose={onClose}>
      <Form onSend={remove}>
        {(isSending) => (
          <>
            <p>
              <Foreign text={reaction.name || `Reaction ${reaction.id}`} /> goes with its runs, transcripts,
              versions and approvals, for ever. What waits for approval is never sent. Positions of bots stay
              open.
            </p>
            <Buttons>
              <Button onClick={onClose}>Cancel</Button>
              <Button type="submit" look="danger" isBusy={isSending}>
                Delete
              </Button>
            </Buttons>
          </>
        )}
      </Form>
    </Dialog>
  )
}
