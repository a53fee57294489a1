import { useState } from 'react'
import { FoldedGroup, SelectField, WholeRow } from '../../parts/Choices.tsx'
import { TextArea, TextField } from '../../parts/Field.tsx'
import type { Backtest, Given } from './backtests.ts'

/** What the code finds at its start, and whether it may ask other servers. */
export function StartFields({
  earlier,
  given,
  problemOf,
}: {
  earlier: Backtest | undefined
  given: Given | undefined
  problemOf: (field: string) => string | undefined
}) {
  const last = given?.last_trigger ?? null
  const [storage, setStorage] = useState(earlier?.storage ?? 'empty')
  const [trigger, setTrigger] = useState(
    last?.action ?? (earlier?.last_trigger === 'saved' ? 'saved' : 'empty'),
  )
  const ofTrigger = problemOf('last_trigger') ?? problemOf('last_trigger.*')
  const isChanged = storage !== 'empty' || trigger !== 'empty' || earlier?.http === 'read'
  const hasProblem = [problemOf('storage'), ofTrigger, problemOf('http')].some((each) => each !== undefined)
  return (
    <FoldedGroup title="What the code begins with" isOpen={isChanged || hasProblem}>
      <SelectField
        label="Storage"
        name="storage"
        value={storage}
        onChange={(event) => setStorage(event.target.value)}
        hint="What $.Storage has at the start."
        problem={storage === 'given' ? undefined : problemOf('storage')}
      >
        <option value="empty">Nothing</option>
        <option value="saved">What the strategy has stored</option>
        <option value="given">This object</option>
      </SelectField>
      <SelectField
        label="Last action"
        name="last_trigger"
        value={trigger}
        onChange={(event) => setTrigger(event.target.value)}
        hint="$.Strategy.lastTrigger at the start."
        problem={ofTrigger}
      >
        <option value="empty">None</option>
        <option value="saved">That of the strategy</option>
        <option value="LONG">LONG</option>
        <option value="SHORT">SHORT</option>
        <option value="EXIT">EXIT</option>
      </SelectField>
      <SelectField
        label="Requests of $.Http"
        name="http"
        defaultValue={earlier?.http ?? 'none'}
        hint="If GETs are sent, the result cannot be repeated."
        problem={problemOf('http')}
      >
        <option value="none">Are not sent</option>
        <option value="read">Send GET, refuse others</option>
      </SelectField>
      {storage === 'given' && (
        <WholeRow>
          <TextArea
            label="Object in the storage"
            name="storage_json"
            isCode
            rows={4}
            defaultValue={given?.storage == null ? '' : JSON.stringify(given.storage, null, 2)}
            placeholder={'{ "count": 1 }'}
            problem={problemOf('storage')}
          />
        </WholeRow>
      )}
      {['LONG', 'SHORT', 'EXIT'].includes(trigger) && (
        <>
          <TextField
            label="Its price"
            name="last_price"
            inputMode="decimal"
            defaultValue={last?.price ?? ''}
          />
          <TextField
            label="Its time"
            name="last_at"
            isCode
            defaultValue={last?.at ?? ''}
            placeholder="2026-01-01T00:00:00Z"
          />
        </>
      )}
    </FoldedGroup>
  )
}
