import { useQueryClient } from '@tanstack/react-query'
import { ApiError } from '@tickwright/client'
import { useState } from 'react'
import { plainText } from '../../base/text.ts'
import { useQuery } from '../../data/use-query.ts'
import { TextField } from '../../parts/Field.tsx'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { Notice } from '../../parts/Notice.tsx'
import { Time } from '../../parts/Values.tsx'
import { linesOf, sizeOf } from './diff.ts'
import { fieldTexts } from './draft.ts'
import type { CodeKind } from './kinds.ts'
import styles from './strategies.module.css'
import { type Comparison, codeOf, type Strategy, strategyQuery, type Version } from './strategies.ts'

/** Asks before the content of an older version is saved again, and says what that changes. */
export function RestoreDialog({
  kind,
  strategy,
  version: { version, saved_at },
  current,
  onClose,
}: {
  kind: CodeKind
  strategy: Strategy
  version: Version
  current: Version
  onClose: () => void
}) {
  const queries = useQueryClient()
  const [reason, setReason] = useState('')
  // What the user sees when the dialog opens is what the restore may replace.
  const [etag, setEtag] = useState(strategy.etag)
  const [changed, setChanged] = useState<string[] | null>(null)
  const { data: comparison } = useQuery({
    queryKey: ['comparison', kind, strategy.id, current.version, version],
    queryFn: () => codeOf[kind].compare(strategy.id, version, { with: current.version }),
  })
  const restore = async () => {
    const body = reason.trim() === '' ? {} : { reason: reason.trim() }
    try {
      const saved = await codeOf[kind].restore(strategy.id, version, body, { ifMatch: etag })
      const { queryKey } = strategyQuery(kind, strategy.id)
      await queries.cancelQueries({ queryKey })
      queries.setQueryData(queryKey, saved)
      onClose()
    } catch (error) {
      const conflict = conflictIn(error)
      if (conflict === null) throw error
      setEtag(conflict.etag)
      setChanged(conflict.changed)
    } finally {
      void queries.invalidateQueries({ queryKey: ['strategies'] })
    }
  }
  return (
    <FormDialog
      title={`Restore version ${version}`}
      word={changed === null ? 'Restore' : 'Restore over it'}
      onSend={restore}
      onClose={onClose}
      fields={['reason']}
    >
      {(problemOf) => (
        <>
          <p>
            The content of version {version}, saved <Time at={saved_at} />, is saved again as a new version.
            The current content stays a version too. Name, folder, visibility and status stay as they are.
          </p>
          {comparison !== undefined && <p>{effectText(comparison)}</p>}
          {strategy.status === 'ACTIVE' && (
            <p>The strategy is switched on: its next run executes this version.</p>
          )}
          {changed !== null && (
            <Notice tone="warning">
              <p>Nothing was restored: someone else has saved since you opened this. What has changed:</p>
              <ul className={styles.points}>
                {changed.map((text) => (
                  <li key={text}>{text}</li>
                ))}
              </ul>
            </Notice>
          )}
          <TextField
            label="Why (optional)"
            hint="The new version keeps it."
            value={reason}
            onChange={(event) => setReason(event.target.value)}
            problem={problemOf('reason')}
          />
        </>
      )}
    </FormDialog>
  )
}

function effectText({ text, settings }: Comparison): string {
  const { added, removed } = sizeOf(linesOf(text))
  const parts = [
    ...(added + removed > 0 ? [`the code (+${added} \u2212${removed} lines)`] : []),
    ...settings.map(({ field }) => fieldTexts[field] ?? field),
  ]
  return parts.length === 0 ? 'It changes nothing.' : `It changes ${parts.join(', ')}.`
}

/** What a 409 says: the tag of the current settings, and what differs. */
function conflictIn(error: unknown): { etag: string; changed: string[] } | null {
  if (!(error instanceof ApiError) || error.status !== 409) return null
  const [about, ...rest] = error.details
  if (typeof about?.etag !== 'string') return null
  const texts = rest.map(({ field, message }) => {
    const name = field?.replace('body.', '')
    return plainText(name === undefined ? String(message) : `${fieldTexts[name] ?? name} ${message}`)
  })
  return { etag: about.etag, changed: texts.length === 0 ? ['name, folder or visibility'] : texts }
}
