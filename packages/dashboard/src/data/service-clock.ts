import { noteServiceTime } from '../base/service-time.ts'
import { live } from './live.ts'

/**
 * Asks for the time of the service whenever the stream opens: also after a sleep, and after somebody has set the clock
 * far forward. Returns the function that ends this.
 */
export function followServiceClock(): () => void {
  const askIfOpen = () => {
    if (live.state().status === 'open') void ask()
  }
  askIfOpen()
  return live.subscribeState(askIfOpen)
}

async function ask(): Promise<void> {
  const askedAt = Date.now()
  const options = { method: 'HEAD', cache: 'no-store', credentials: 'omit' } as const
  // Without an answer, the page shows times by the clock of the device.
  const answer = await fetch('/health/live', options).catch(() => undefined)
  noteServiceTime(answer?.headers.get('date') ?? null, askedAt, Date.now())
}
