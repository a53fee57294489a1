import { useQueryClient } from '@tanstack/react-query'
import type { SignalBot } from '@tickwright/client'
import { useState } from 'react'
import { count } from '../base/numbers.ts'
import { client } from '../data/client.ts'
import { Button } from './Button.tsx'
import { Buttons, Dialog } from './Dialog.tsx'
import { FormDialog } from './FormDialog.tsx'
import { Mode } from './Marks.tsx'
import { Notice } from './Notice.tsx'
import { Foreign, Value } from './Values.tsx'

/**
 * Asks before positions are closed, and names bot, mode, symbol and size.
 * @param symbol only this position; otherwise all of them
 */
export function CloseDialog({
  bot,
  symbol,
  onClose,
}: {
  bot: SignalBot
  symbol?: string
  onClose: () => void
}) {
  const queries = useQueryClient()
  const [done, setDone] = useState<string | null>(null)
  const positions = bot.positions.filter((position) => symbol === undefined || position.symbol === symbol)
  const close = async () => {
    const { signals } = await client.bots.signal.close(bot.id, symbol === undefined ? {} : { symbol })
    setDone(`${count(signals.length, 'close')} under way. The list of signals shows what becomes of it.`)
    for (const key of ['bots', 'positions']) void queries.invalidateQueries({ queryKey: [key] })
  }
  const title = symbol === undefined ? 'Close all positions' : 'Close this position'
  const whose = (
    <p>
      <Foreign text={bot.name || `Bot ${bot.id}`} /> <Mode mode={bot.mode} demo={bot.demo} />
    </p>
  )
  if (done !== null)
    return (
      <Dialog title={title} onClose={onClose}>
        {whose}
        <Notice>{done}</Notice>
        <Buttons>
          <Button onClick={onClose}>Back</Button>
        </Buttons>
      </Dialog>
    )
  return (
    <FormDialog title={title} word="Close" look="danger" onSend={close} onClose={onClose}>
      {whose}
      <ul>
        {positions.map(({ symbol, side, size }) => (
          <li key={symbol}>
            {side} <Value value={size} /> <Foreign text={symbol} />
          </li>
        ))}
      </ul>
      <p>The bot sends market orders that close {positions.length === 1 ? 'it' : 'them'}.</p>
    </FormDialog>
  )
}
