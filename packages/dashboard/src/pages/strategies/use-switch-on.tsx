import { useQueryClient } from '@tanstack/react-query'
import type { SignalBotInList } from '@tickwright/client'
import { type ReactNode, useState } from 'react'
import { useOnce } from '../../data/use-once.ts'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { Foreign } from '../../parts/Values.tsx'
import { BotNames, botsBehindQuery } from './bots-behind.tsx'
import type { CodeKind } from './kinds.ts'
import { codeOf, type Strategy } from './strategies.ts'

/**
 * Switches a strategy on, or ends its suspension. If bots that trade live would follow it, this asks first and names
 * them. The dialog has to be drawn by the caller.
 */
export function useSwitchOn(
  kind: CodeKind,
  { id, name, symbol, send_signal, webhook_id }: Strategy,
): { begin: () => void; isBusy: boolean; error: Error | null; dialog: ReactNode } {
  const queries = useQueryClient()
  const [live, setLive] = useState<SignalBotInList[] | null>(null)
  const switchOn = async () => {
    try {
      await codeOf[kind].setStatus(id, { status: 'ACTIVE' })
    } finally {
      await queries.invalidateQueries({ queryKey: ['strategies'] })
    }
  }
  const { run, isBusy, error } = useOnce(async () => {
    const bots =
      send_signal && webhook_id !== null
        ? await queries.fetchQuery({ ...botsBehindQuery(webhook_id), staleTime: 0 })
        : []
    const trading = bots.filter(({ mode, demo, status }) => mode === 'live' && !demo && status === 'ACTIVE')
    if (trading.length === 0) await switchOn()
    else setLive(trading)
  })
  const close = () => setLive(null)
  const dialog = live !== null && (
    <FormDialog
      title="Switch on with live trading"
      word="Switch on"
      look="danger"
      onSend={async () => {
        await switchOn()
        close()
      }}
      onClose={close}
    >
      <p>
        <Foreign text={name || `Strategy ${id}`} /> sends signals{' '}
        {symbol !== null && (
          <>
            for <Foreign text={symbol} />
          </>
        )}{' '}
        to bots that trade with real money: <BotNames bots={live} />
      </p>
    </FormDialog>
  )
  return { begin: run, isBusy, error, dialog }
}
