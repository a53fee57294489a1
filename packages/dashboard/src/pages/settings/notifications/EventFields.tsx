import type { NotificationEndpoint } from '@tickwright/client'
import { CheckField, SelectField } from '../../../parts/Choices.tsx'
import { TextField } from '../../../parts/Field.tsx'
import { textOf } from '../form-data.ts'
import styles from '../settings.module.css'
import { type EndpointEvent, endpointEvents, eventNames } from './events.ts'

type Chosen = Pick<NotificationEndpoint, 'events' | 'silent' | 'quiet_hours' | 'digest'>

/** Which events an endpoint gets, and, if it can be silent, which of them without a sound and when. */
export function EventFields({
  endpoint,
  canBeSilent,
  problemOf,
}: {
  endpoint: NotificationEndpoint | undefined
  canBeSilent: boolean
  problemOf: (field: string) => string | undefined
}) {
  const problem = problemOf('events')
  const isChosen = (name: EndpointEvent) => endpoint?.events.includes(name) ?? false
  return (
    <>
      <fieldset className={styles.group}>
        <legend>Send when</legend>
        {problem !== undefined && <p className={styles.problem}>{problem}</p>}
        <div className={styles.events}>
          {eventNames.map((name) => {
            const common = { name, label: endpointEvents[name] }
            if (!canBeSilent) {
              const hint = <code>{name}</code>
              return <CheckField key={name} {...common} defaultChecked={isChosen(name)} hint={hint} />
            }
            const loudness = endpoint?.silent.includes(name) ? 'silent' : 'loud'
            return (
              <SelectField key={name} {...common} defaultValue={isChosen(name) ? loudness : ''}>
                <option value="">Off</option>
                <option value="loud">With sound</option>
                <option value="silent">Silently</option>
              </SelectField>
            )
          })}
        </div>
      </fieldset>
      {canBeSilent && <QuietFields endpoint={endpoint} problemOf={problemOf} />}
      <DigestFields endpoint={endpoint} problemOf={problemOf} />
    </>
  )
}

type TimeFields = {
  endpoint: NotificationEndpoint | undefined
  problemOf: (field: string) => string | undefined
}

function DigestFields({ endpoint, problemOf }: TimeFields) {
  const digest = endpoint?.digest
  return (
    <fieldset className={styles.group}>
      <legend>Digest</legend>
      <p className={styles.hint}>A summary of the day: profit, orders and open positions. Once a day.</p>
      <div className={styles.events}>
        <TextField
          label="At (empty: none)"
          name="digest_at"
          type="time"
          defaultValue={digest?.at ?? ''}
          problem={problemOf('digest') ?? problemOf('digest.at')}
        />
        <TextField
          label="Time zone of the digest"
          name="digest_zone"
          defaultValue={digest?.time_zone ?? ownZone()}
          autoComplete="off"
          problem={problemOf('digest.time_zone')}
          isCode
        />
      </div>
    </fieldset>
  )
}

const ownZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone

function QuietFields({ endpoint, problemOf }: TimeFields) {
  const hours = endpoint?.quiet_hours
  const zone = hours?.time_zone ?? ownZone()
  return (
    <fieldset className={styles.group}>
      <legend>Quiet hours</legend>
      <p className={styles.hint}>
        Messages come without a sound then, except urgent ones: an order nobody knows the outcome of, a limit
        that is reached, a position that was closed outside or liquidated, books that differ, a close or stop
        that the exchange refuses, and a stop beyond the liquidation.
      </p>
      <div className={styles.events}>
        <TextField
          label="From (empty: none)"
          name="quiet_from"
          type="time"
          defaultValue={hours?.from ?? ''}
        />
        <TextField
          label="To"
          name="quiet_to"
          type="time"
          defaultValue={hours?.to ?? ''}
          problem={problemOf('quiet_hours') ?? problemOf('quiet_hours.to')}
        />
        <TextField
          label="Time zone"
          name="quiet_zone"
          defaultValue={zone}
          autoComplete="off"
          problem={problemOf('quiet_hours.time_zone')}
          isCode
        />
      </div>
    </fieldset>
  )
}

/** What the form says about events. A time that is not there is sent as it is, so that the service names it. */
export function chosenOf(data: FormData, canBeSilent: boolean): Partial<Chosen> & Pick<Chosen, 'events'> {
  const loudness = (name: string) => textOf(data, name)
  const events = eventNames.filter((name) => data.has(name) && loudness(name) !== '')
  const at = textOf(data, 'digest_at')
  const digest = at === '' ? null : { at, time_zone: textOf(data, 'digest_zone').trim() }
  if (!canBeSilent) return { events, digest }
  const [from, to] = [textOf(data, 'quiet_from'), textOf(data, 'quiet_to')]
  const hours = { from, to, time_zone: textOf(data, 'quiet_zone').trim() }
  return {
    ...{ events, digest },
    silent: events.filter((name) => loudness(name) === 'silent'),
    quiet_hours: from === '' && to === '' ? null : hours,
  }
}
