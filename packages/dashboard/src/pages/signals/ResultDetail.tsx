import type { BotSignal } from '@tickwright/client'
import { count } from '../../base/numbers.ts'
import { useQuery } from '../../data/use-query.ts'
import type { Beside } from '../../parts/beside.ts'
import { Detail } from '../../parts/Detail.tsx'
import { Failure, Notice, Skeleton } from '../../parts/Notice.tsx'
import { Section } from '../../parts/Page.tsx'
import { BotResult } from './BotResult.tsx'
import { pageOf } from './SignalRows.tsx'
import { About } from './SignalView.tsx'
import { botSignalQuery, signalQuery } from './signal-query.ts'

/**
 * What one bot did with a signal, beside a list of such results: its orders and fills first, and then the signal.
 * @param id of the result, not of its signal: a signal has a result for each bot and symbol
 */
export function ResultDetail({ id, beside }: { id: number; beside: Beside | undefined }) {
  const { data: result, error, refetch } = useQuery(botSignalQuery(id))
  // Where there is no room, the page of the signal takes over, and only the result knows which one that is.
  if (result === undefined && beside === undefined) return null
  const title = result ? `Signal ${result.signal_id}` : 'Signal'
  return (
    <Detail beside={beside} title={title} page={result ? pageOf(result.signal_id) : { to: '/signals' }}>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {result === undefined && error === null && <Skeleton lines={8} />}
      {result === null && <Notice tone="warning">No bot of yours has a result with this number.</Notice>}
      {result && <Content key={result.id} result={result} />}
    </Detail>
  )
}

function Content({ result }: { result: BotSignal }) {
  const { data: signal, error, refetch } = useQuery(signalQuery(result.signal_id))
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />
  if (signal === undefined) return <Skeleton lines={8} />
  const others = signal.bots_total - 1
  return (
    <>
      <BotResult signal={signal} bot={result} />
      <Section title="The signal">
        <About signal={signal} />
      </Section>
      {others > 0 && <p>{count(others, 'more result')} of this signal: its page has all of them.</p>}
    </>
  )
}
