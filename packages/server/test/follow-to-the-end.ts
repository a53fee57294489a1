import {
  type FollowSignal,
  followSignal,
  type PendingSignal,
  type SignalOutcome,
} from '../src/trading/follow-signal.ts'

type Closing = Extract<PendingSignal, { status: 'CLOSING' }>

/**
 * Follows a signal again, at the times that it gives, as long as its close is still wanted.
 * @returns how it ended, or that it waits for a person
 */
export async function followToTheEnd(
  input: FollowSignal,
  onClosing: (closing: Closing) => void = () => undefined,
): Promise<Exclude<SignalOutcome, Closing>> {
  for (;;) {
    const outcome = await followSignal(input)
    if (outcome.status !== 'CLOSING') return outcome
    onClosing(outcome)
    await input.clock.sleep(outcome.nextAt - input.clock.now(), input.stop)
  }
}
