import { Distance } from './Values.tsx'

/** When a bot follows a signal that it delays. */
export function DelayEnd({ at }: { at: string | null }) {
  return <>The bot follows it {at === null ? 'after its delay' : <Distance at={at} />}.</>
}
