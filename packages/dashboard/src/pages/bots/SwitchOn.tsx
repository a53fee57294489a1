import { useQueryClient } from '@tanstack/react-query'
import type { SignalBot } from '@tickwright/client'
import { client } from '../../data/client.ts'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { Notice } from '../../parts/Notice.tsx'
import { Missing, useMissing } from './Missing.tsx'
import { Plan, useConnection } from './Plan.tsx'

/** Asks before a live bot is switched on, and names what it trades with. */
export function SwitchOnDialog({ bot, onClose }: { bot: SignalBot; onClose: () => void }) {
  const queries = useQueryClient()
  const connection = useConnection(bot)
  const [first] = useMissing(bot.mode, connection)
  const switchOn = async () => {
    await client.bots.signal.setStatus(bot.id, { status: 'ACTIVE' })
    await queries.invalidateQueries({ queryKey: ['bots'] })
    onClose()
  }
  return (
    <FormDialog
      title="Switch this bot on"
      word="Switch on"
      look="danger"
      onSend={switchOn}
      onClose={onClose}
      unavailable={first}
    >
      <Plan bot={bot} />
      <Missing
        mode={bot.mode}
        connection={connection}
        otherwise={
          <Notice tone="warning">
            {bot.demo
              ? 'The bot sends orders to the demo account, which has no real money.'
              : 'The bot sends orders with real money, from the next signal on, until it is switched off.'}
          </Notice>
        }
      />
    </FormDialog>
  )
}
