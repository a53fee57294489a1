import { count } from '../../base/numbers.ts'
import { useQuery } from '../../data/use-query.ts'
import { Button } from '../../parts/Button.tsx'
import { Conversation } from '../../parts/Conversation.tsx'
import { Buttons, Dialog } from '../../parts/Dialog.tsx'
import { Facts } from '../../parts/Facts.tsx'
import { Failure, Notice, Skeleton } from '../../parts/Notice.tsx'
import styles from './ai.module.css'
import { apiOf } from './api.ts'
import type { Fields } from './fields.ts'
import { type AiKind, kindWords } from './kinds.ts'
import { entriesOf, previewBody } from './preview.ts'
import type { TestInput } from './test-input.ts'

/** What the model would be asked first, with everything as it is typed. No model is asked. */
export function PreviewDialog({
  kind,
  fields,
  input,
  onClose,
}: {
  kind: AiKind
  fields: Fields
  /** What the tab for tests has, such as a payload. */
  input: TestInput
  onClose: () => void
}) {
  const body = previewBody(kind, fields, input)
  const { data, error, refetch } = useQuery({
    queryKey: ['previews', kind, body],
    queryFn: () => apiOf[kind].previewPrompt(body),
    gcTime: 0,
    retry: false,
  })
  const budget = Number(fields.tokens_per_day)
  return (
    <Dialog title="What the model would be asked" isWide onClose={onClose}>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton lines={6} />}
      {data !== undefined && (
        <>
          <p className={styles.soft}>
            No model is asked. The values are those of the tab Test
            {kind === 'reaction' ? ': its payload, its stored value and its last action.' : '.'}
          </p>
          <Facts
            facts={[
              ['Tokens', `about ${count(data.tokens.estimated, 'token')}`],
              ['Reserved', `up to ${count(data.tokens.reserved, 'token')} with the answer`],
              ['Tools', data.tools.join(', ') || '–'],
            ]}
          />
          {data.tokens.reserved > budget && (
            <Notice tone="warning">
              The budget of a day is {count(budget, 'token')}, so that the {kindWords[kind].short} could never
              ask.
            </Notice>
          )}
          <Conversation entries={entriesOf(data)} hasTimes={false} />
        </>
      )}
      <Buttons>
        <Button onClick={onClose}>Close</Button>
      </Buttons>
    </Dialog>
  )
}
