import { useQueryClient } from '@tanstack/react-query'
import type { SignalBot } from '@tickwright/client'
import { client } from '../../data/client.ts'
import { CheckField } from '../../parts/Choices.tsx'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { Mode } from '../../parts/Marks.tsx'
import { Notice } from '../../parts/Notice.tsx'
import { Foreign, Value } from '../../parts/Values.tsx'

/** Asks before a bot is deleted, and names what it still holds. */
export function DeleteDialog({
  bot,
  onClose,
  onDeleted,
}: {
  bot: SignalBot
  onClose: () => void
  onDeleted: () => void
}) {
  const queries = useQueryClient()
  const { id, name, mode, demo, positions } = bot
  const send = async (data: FormData) => {
    await client.bots.signal.delete(id, data.has('abandon') ? { abandon_positions: true } : {})
    onDeleted()
    for (const key of ['bots', 'positions']) void queries.invalidateQueries({ queryKey: [key] })
  }
  return (
    <FormDialog title="Delete this bot" word="Delete" look="danger" onSend={send} onClose={onClose}>
      <p>
        <Foreign text={name || `Bot ${id}`} /> <Mode mode={mode} demo={demo} />
      </p>
      <p>
        The bot follows no more signals, and its equity over time is deleted. Its orders and fills stay.
        Nobody can undo this.
      </p>
      {positions.length > 0 && (
        <>
          <Notice tone="warning">
            <p>It still holds:</p>
            <ul>
              {positions.map(({ symbol, side, size }) => (
                <li key={symbol}>
                  {side} <Value value={size} /> <Foreign text={symbol} />
                </li>
              ))}
            </ul>
          </Notice>
          <CheckField
            name="abandon"
            label="Delete it all the same"
            hint={
              mode === 'live'
                ? 'Nothing closes these positions: they stay open at the exchange, and nothing watches them.'
                : 'These positions exist only on paper, and end with the bot.'
            }
          />
        </>
      )}
    </FormDialog>
  )
}
