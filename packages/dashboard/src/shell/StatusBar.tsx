import { Search } from 'lucide-react'
import { useState } from 'react'
import { serviceTimeOf } from '../base/service-time.ts'
import { plainText } from '../base/text.ts'
import { useNow } from '../base/use-now.ts'
import { silence } from '../data/queries.ts'
import { useLiveState } from '../data/use-live.ts'
import { useQuery } from '../data/use-query.ts'
import { Button } from '../parts/Button.tsx'
import { Distance } from '../parts/Values.tsx'
import { HaltDialog } from './HaltDialog.tsx'
import { Simulation } from './Simulation.tsx'
import styles from './shell.module.css'
import { tradingQuery } from './trading.ts'

/** On top of every page: search, whether what is shown is current, what is simulated, whether trading is on, and Stop. */
export function StatusBar({ onSearch, onStop }: { onSearch: () => void; onStop: () => void }) {
  return (
    <header className={styles.bar}>
      <button
        type="button"
        className={styles.search}
        onClick={onSearch}
        aria-label="Search and commands"
        aria-keyshortcuts="Control+K Meta+K"
      >
        <Search aria-hidden />
        <span>Search and commands</span>
        <i data-keys={isApple ? '⌘ K' : 'Ctrl K'} />
      </button>
      <div className={styles.facts}>
        <Currency />
        <Trading />
        <span className={styles.wordy}>
          <Button look="danger" onClick={onStop}>
            Stop
          </Button>
        </span>
      </div>
    </header>
  )
}

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent)

/** So long a page may take to connect before it says that something is wrong. */
const connectingMs = 5000

/** Whether the page follows what happens. If not, since when what it shows is old. */
function Currency() {
  const state = useLiveState()
  const [wasOpen, setWasOpen] = useState(false)
  if (state.status === 'open' && !wasOpen) setWasOpen(true)
  useNow(1000)
  const silentSince = silence.since(Date.now())
  const since = state.status === 'open' ? silentSince : state.since
  return (
    <span className={styles.fact} role="status">
      {/* Not “live”, which beside “Paper only” would read as if orders were. */}
      {since === undefined ? (
        <>
          <i className={styles.good} /> Up to date
        </>
      ) : (
        <Old since={serviceTimeOf(since)} isFirst={!wasOpen} />
      )}
    </span>
  )
}

function Old({ since, isFirst }: { since: number; isFirst: boolean }) {
  const now = useNow(1000)
  if (now - since < connectingMs) return <>{isFirst ? 'Loading' : 'Connecting'}</>
  return (
    <span className={styles.old}>
      Out of date
      <span className={styles.wordy}>
        : as of <Distance at={since} />
      </span>
    </span>
  )
}

/** Whether trading is on. A halt says why to anyone who asks. */
function Trading() {
  const { data } = useQuery(tradingQuery)
  const [isAsking, setAsking] = useState(false)
  const dialog = isAsking && <HaltDialog onClose={() => setAsking(false)} />
  if (data === undefined) return dialog
  if (!data.halted)
    return (
      <>
        <Simulation isLiveOn={data.live_trading} isShort={false} />
        {dialog}
      </>
    )
  const reason = data.halt?.reason ?? null
  return (
    <>
      <Simulation isLiveOn={data.live_trading} isShort />
      <button type="button" className={styles.halted} onClick={() => setAsking(true)}>
        <i className={styles.bad} />{' '}
        <span>{data.halted === 'openings' ? 'Openings are halted' : 'Trading is halted'}</span>
        {reason !== null && <span className={styles.why}>{plainText(reason)}</span>}
      </button>
      {dialog}
    </>
  )
}
