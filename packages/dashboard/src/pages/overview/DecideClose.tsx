import { useQueryClient } from '@tanstack/react-query'
import type { BotSignal } from '@tickwright/client'
import { client } from '../../data/client.ts'
import { useOnce } from '../../data/use-once.ts'
import { useQuery } from '../../data/use-query.ts'
import { Button } from '../../parts/Button.tsx'
import { Buttons, Dialog } from '../../parts/Dialog.tsx'
import { Mode } from '../../parts/Marks.tsx'
import { Failure, Notice } from '../../parts/Notice.tsx'
import { Foreign, Value } from '../../parts/Values.tsx'

/** Asks what becomes of a close that waits, and names bot, mode, symbol and the size of this moment. */
export function DecideClose({
  signal: { id, bot_id, symbol },
  onClose,
}: {
  signal: BotSignal
  onClose: () => void
}) {
  const queries = useQueryClient()
  const { data: bot, error: unread } = useQuery({
    queryKey: ['bots', bot_id],
    queryFn: () => client.bots.signal.get(bot_id),
    refetchOnMount: 'always',
  })
  const readAgain = () => queries.invalidateQueries({ queryKey: ['bot-signals'] })
  const proceed = useOnce(() => client.bots.signal.proceed(bot_id, id), readAgain)
  const drop = useOnce(() => client.bots.signal.drop(bot_id, id), readAgain)
  const decided =
    proceed.answer !== undefined
      ? 'The close proceeds. The signals of the bot show what becomes of it.'
      : drop.answer !== undefined
        ? 'The close is called off. The position stays as it is.'
        : null
  const held = bot?.positions.find((position) => position.symbol === symbol)
  return (
    <Dialog title="A close that waits" onClose={onClose}>
      {unread !== null && <Failure error={unread} />}
      {bot !== undefined && (
        <p>
          <Foreign text={bot.name || `Bot ${bot_id}`} /> <Mode mode={bot.mode} demo={bot.demo} />{' '}
          {held === undefined ? 'holds no' : `holds ${held.side} `}
          {held !== undefined && <Value value={held.size} />} <Foreign text={symbol} />
        </p>
      )}
      {[proceed, drop].map(({ error }, at) =>
        error === null ? null : <Failure key={at === 0 ? 'proceed' : 'drop'} error={error} isChange />,
      )}
      {decided === null ? (
        <>
          <p>If you let it proceed, the bot sends a market order that closes the position.</p>
          <Buttons>
            <Button onClick={onClose}>Cancel</Button>
            <Button isBusy={drop.isBusy} onClick={drop.run}>
              Call it off
            </Button>
            <Button look="danger" isBusy={proceed.isBusy} onClick={proceed.run}>
              Close the position
            </Button>
          </Buttons>
        </>
      ) : (
        <>
          <Notice>{decided}</Notice>
          <Buttons>
            <Button onClick={onClose}>Back</Button>
          </Buttons>
        </>
      )}
    </Dialog>
  )
}
