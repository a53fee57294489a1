import { Notice } from './Notice.tsx'
import { Section } from './Page.tsx'
import { Foreign } from './Values.tsx'
import { Waterfall } from './Waterfall.tsx'
import type { Step } from './waterfall.ts'

type Outcome = { status: string; text: string; reasons: readonly string[]; is_usual: boolean }

/** What came of a run or a payload, why something did not happen, and every step on the way. */
export function Receipt({ outcome, steps }: { outcome: Outcome; steps: readonly Step[] }) {
  const { status, text, reasons, is_usual } = outcome
  return (
    <>
      <Notice tone={!is_usual || status === 'FAILED' ? 'warning' : 'info'}>
        <Foreign text={text} keepLines />
        {reasons.length > 0 && (
          <ul>
            {reasons.map((reason) => (
              <li key={reason}>
                <Foreign text={reason} keepLines />
              </li>
            ))}
          </ul>
        )}
      </Notice>
      <Section title="Receipt">
        <Waterfall steps={steps} />
      </Section>
    </>
  )
}
