import { useNow } from '../../base/use-now.ts'
import { Distance } from '../../parts/Values.tsx'
import { whyNoRun } from './next-run.ts'

/** A page that follows what happens knows the next time long before this has passed. */
const unknownAfterMs = 20_000

/** When a strategy runs next, or why it does not. */
export function NextRun({
  strategy: { next_run_at, next_run_reason, status },
}: {
  strategy: { next_run_at: string | null; next_run_reason: string | null; status: string }
}) {
  const now = useNow(1000)
  if (next_run_at === null) return <span>{whyNoRun(next_run_reason, status)}</span>
  // The page reads the next time a moment after the run.
  const lateMs = now - Date.parse(next_run_at)
  if (lateMs >= 0) return <span>{lateMs < unknownAfterMs ? 'now' : 'not known'}</span>
  return <Distance at={next_run_at} />
}
