import { ApiError } from '@tickwright/client'
import { type KeyboardEvent, useRef, useState } from 'react'
import { Button } from '../../parts/Button.tsx'
import { Buttons, Dialog } from '../../parts/Dialog.tsx'
import { TextField } from '../../parts/Field.tsx'
import { Form } from '../../parts/Form.tsx'
import { Notice } from '../../parts/Notice.tsx'
import { Time } from '../../parts/Values.tsx'
import styles from './ai.module.css'
import { Conflict } from './Conflict.tsx'
import { changedFields, type Fields, problemsOf } from './fields.ts'
import type { AiKind } from './kinds.ts'
import { PreviewDialog } from './PreviewDialog.tsx'
import { PromptField } from './PromptField.tsx'
import { Settings } from './Settings.tsx'
import { firstInput, storageProblem, type TestInput } from './test-input.ts'
import type { useDraft } from './use-draft.ts'

const shownAtFields = [
  ...([
    'name',
    'prompt',
    'connection_id',
    'fallback_id',
    'data_webhook_id',
    'delay',
    'webhook_id',
    'symbol',
  ] as const),
  ...(['cron_interval', 'timezone'] as const),
  ...([
    'may_change',
    'actions',
    'max_size',
    'approval_minutes',
    'tokens_per_day',
    'actions_per_day',
  ] as const),
  ...(['chart_symbol', 'chart_interval', 'chart_studies', 'chart_range'] as const),
]

/**
 * The prompt and the settings of a strategy. What is typed is kept in the browser until it is saved.
 * @param onSave saves the draft; a 409 means that others have saved, which `onConflict` reads
 */
export function Editor({
  kind,
  drafting,
  savedFields,
  isNew = false,
  input = firstInput,
  onSave,
  onConflict,
}: {
  kind: AiKind
  drafting: ReturnType<typeof useDraft>
  savedFields: Fields
  isNew?: boolean
  /** What a preview of the prompt is given. */
  input?: TestInput
  onSave: (fields: Fields, reason: string) => Promise<void>
  onConflict?: () => Promise<unknown>
}) {
  const { draft, fields, conflict, change, discard, keepMine } = drafting
  const form = useRef<HTMLDivElement>(null)
  const [reason, setReason] = useState('')
  // What the service said about a field counts until the field changes.
  const [sent, setSent] = useState<Fields | null>(null)
  const [isDiscarding, setDiscarding] = useState(false)
  const [isPreviewing, setPreviewing] = useState(false)
  const problems = problemsOf(fields)
  const changes = draft === null ? 0 : changedFields(draft.fields, draft.base).length
  const save = async () => {
    if (unavailable !== null) return
    setSent(fields)
    try {
      await onSave(fields, reason)
      setReason('')
    } catch (error) {
      const isConflict =
        error instanceof ApiError && error.details.some(({ field }) => field === ifMatchField)
      if (!isConflict) throw error
      await onConflict?.()
    }
  }
  const unavailable =
    conflict !== null
      ? 'Decide first about what was saved from elsewhere.'
      : Object.keys(problems).length > 0
        ? 'A field is no number.'
        : changes === 0 && !isNew
          ? 'Nothing has changed.'
          : null
  const isAsSent = (field: keyof Fields) => sent !== null && String(sent[field]) === String(fields[field])
  const onKeyDown = (event: KeyboardEvent) => {
    if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 's') return
    event.preventDefault()
    form.current?.querySelector('form')?.requestSubmit()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys belong to the fields in it
    <div ref={form} onKeyDown={onKeyDown}>
      <Form onSend={save} fields={shownAtFields}>
        {(isSending, problemOf) => (
          <>
            {conflict !== null && !isSending && (
              <Conflict
                mine={fields}
                theirs={savedFields}
                conflict={conflict}
                onLoadTheirs={discard}
                onKeepMine={keepMine}
              />
            )}
            {draft !== null && (conflict === null || isSending) && (
              <Notice>
                <p>
                  Not saved: changed <Time at={draft.at} />. This browser keeps it until you save.
                </p>
              </Notice>
            )}
            <div className={styles.columns}>
              <div className={styles.words}>
                <PromptField
                  kind={kind}
                  prompt={fields.prompt}
                  problem={isAsSent('prompt') ? problemOf('prompt') : undefined}
                  onChange={(prompt) => change({ prompt })}
                />
                <Button
                  className={styles.preview}
                  onClick={() => setPreviewing(true)}
                  unavailable={storageProblem(input.storage)}
                >
                  Preview
                </Button>
                {!isNew && (
                  <TextField
                    label="Why you save (optional)"
                    hint="The version keeps it."
                    maxLength={500}
                    autoComplete="off"
                    value={reason}
                    onChange={(event) => setReason(event.target.value)}
                  />
                )}
              </div>
              <div className={styles.settings}>
                <Settings
                  kind={kind}
                  fields={fields}
                  onChange={change}
                  problemOf={(field) => problems[field] ?? (isAsSent(field) ? problemOf(field) : undefined)}
                />
              </div>
            </div>
            <div className={styles.save}>
              <Buttons>
                {changes > 0 && <Button onClick={() => setDiscarding(true)}>Discard</Button>}
                <Button type="submit" look="primary" isBusy={isSending} unavailable={unavailable}>
                  {isNew ? 'Create' : 'Save'}
                </Button>
              </Buttons>
            </div>
          </>
        )}
      </Form>
      {isPreviewing && (
        <PreviewDialog kind={kind} fields={fields} input={input} onClose={() => setPreviewing(false)} />
      )}
      {isDiscarding && (
        <Dialog title="Discard your changes" onClose={() => setDiscarding(false)}>
          <p>What you have typed since the last save is gone for ever.</p>
          <Buttons>
            <Button onClick={() => setDiscarding(false)}>Cancel</Button>
            <Button
              look="danger"
              onClick={() => {
                discard()
                setDiscarding(false)
              }}
            >
              Discard
            </Button>
          </Buttons>
        </Dialog>
      )}
    </div>
  )
}

const ifMatchField = 'headers.if-match'
