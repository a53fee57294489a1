import { useQueryClient } from '@tanstack/react-query'
import type { SignalBot } from '@tickwright/client'
import { useState } from 'react'
import { client } from '../../data/client.ts'
import { useOnce } from '../../data/use-once.ts'
import { Button } from '../../parts/Button.tsx'
import { Buttons, Dialog } from '../../parts/Dialog.tsx'
import { Failure, Notice } from '../../parts/Notice.tsx'
import { Time, Value } from '../../parts/Values.tsx'

/** A bot whose equity fell too far: it stays stopped until its owner has confirmed that it may open again. */
export function DrawdownNotice({ bot }: { bot: SignalBot }) {
  const [isAsked, setAsked] = useState(false)
  const unit = bot.amount_currency
  return (
    <Notice tone="warning" action={<Button onClick={() => setAsked(true)}>Reset …</Button>}>
      <p>
        The equity of the bot fell to <Value value={bot.drawdown_equity} digits={2} unit={unit} />, from its
        highest of <Value value={bot.highest_equity} digits={2} unit={unit} /> (
        <Time at={bot.drawdown_reached_at} />
        ). The bot closes its positions, and opens nothing until you reset it.
      </p>
      {isAsked && <ResetDialog bot={bot} onClose={() => setAsked(false)} />}
    </Notice>
  )
}

function ResetDialog({ bot, onClose }: { bot: SignalBot; onClose: () => void }) {
  const queries = useQueryClient()
  const { run, isBusy, error } = useOnce(
    () => client.bots.signal.resetDrawdown(bot.id),
    async () => {
      await queries.invalidateQueries({ queryKey: ['bots'] })
      onClose()
    },
  )
  return (
    <Dialog title="Let the bot open again" onClose={onClose}>
      <p>
        The bot opens again with its next signal. Its highest equity starts again at its equity now
        {bot.max_drawdown !== null && `, and a fall of ${bot.max_drawdown.replace('%', ' %')} stops it again`}
        .
      </p>
      {error !== null && <Failure error={error} isChange />}
      <Buttons>
        <Button onClick={onClose}>Back</Button>
        <Button look="primary" isBusy={isBusy} onClick={() => run()}>
          Reset
        </Button>
      </Buttons>
    </Dialog>
  )
}
