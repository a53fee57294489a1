import { useEffect, useId, useMemo, useRef, useState } from 'react'
import { formatNumber } from '../../base/numbers.ts'
import { piecesOf } from '../../base/text.ts'
import { useQuery } from '../../data/use-query.ts'
import { Button } from '../../parts/Button.tsx'
import { classes } from '../../parts/classes.ts'
import { Foreign } from '../../parts/Values.tsx'
import { apiOf } from './api.ts'
import type { AiKind } from './kinds.ts'
import { bytesOf, placeholders, positionOf, promptLimit, spansOf } from './placeholders.ts'
import styles from './prompt.module.css'

/** In a longer prompt, the marks would delay the typing. */
const markedLength = 64 * 1024

/** The instructions to the model: placeholders are marked while typing, and inserted by a click. */
export function PromptField({
  kind,
  prompt,
  problem,
  onChange,
}: {
  kind: AiKind
  prompt: string
  /** What the service says about it. */
  problem: string | undefined
  onChange: (prompt: string) => void
}) {
  const id = useId()
  const area = useRef<HTMLTextAreaElement>(null)
  const settled = useSettled(prompt, 300)
  const { data: check } = useQuery(checkQuery(kind, settled))
  const bytes = bytesOf(prompt)
  const hidden = useMemo(() => piecesOf(settled).filter(({ isEscaped }) => isEscaped), [settled])
  const spans = prompt.length > markedLength ? [{ text: prompt, mark: null }] : spansOf(prompt, kind)
  const problems = check?.problems ?? []
  const insert = (text: string) => {
    const element = area.current!
    element.focus()
    // Unlike a new value, this can be undone with the keys for that.
    if (!document.execCommand('insertText', false, text)) {
      element.setRangeText(text, element.selectionStart, element.selectionEnd, 'end')
      onChange(element.value)
    }
  }
  const goTo = (line: number, column: number) => {
    const at = positionOf(prompt, line, column)
    area.current!.focus()
    area.current!.setSelectionRange(at, at + 2)
  }
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={styles.label}>
        Prompt
      </label>
      <div className={styles.sheet}>
        <div className={styles.marks} aria-hidden>
          {spans.map(({ text, mark }, index) =>
            mark === null ? (
              text
            ) : (
              // biome-ignore lint/suspicious/noArrayIndexKey: the spans of a text have no other identity
              <mark key={index} className={styles[mark]}>
                {text}
              </mark>
            ),
          )}
          {'\n'}
        </div>
        <textarea
          ref={area}
          id={id}
          name="prompt"
          spellCheck={false}
          value={prompt}
          aria-describedby={`${id}-size ${id}-problems`}
          aria-invalid={problems.length > 0 || problem !== undefined || undefined}
          onChange={(event) => onChange(event.target.value)}
        />
      </div>
      <p id={`${id}-size`} className={classes(styles.soft, bytes > promptLimit && styles.problem)}>
        {formatNumber(bytes)} of {formatNumber(promptLimit)} bytes
      </p>
      <div id={`${id}-problems`} role="status" className={styles.problems}>
        {problem !== undefined && problems.length === 0 && <p className={styles.problem}>{problem}</p>}
        {problems.map(({ message, line, column }) => (
          <p key={`${line} ${column}`} className={styles.problem}>
            <Button look="quiet" onClick={() => goTo(line, column)}>
              Line {line}, column {column}
            </Button>
            <Foreign text={message} />
          </p>
        ))}
        {hidden.length > 0 && (
          <p className={styles.warning}>
            The prompt has characters that nobody sees:{' '}
            {[...new Set(hidden.map(({ text }) => text))].join(', ')}.
          </p>
        )}
      </div>
      <Placeholders kind={kind} prompt={prompt} onInsert={insert} />
    </div>
  )
}

function Placeholders({
  kind,
  prompt,
  onInsert,
}: {
  kind: AiKind
  prompt: string
  onInsert: (text: string) => void
}) {
  const offered = placeholders.filter(({ only }) => only === undefined || only === kind)
  return (
    <ul className={styles.placeholders} aria-label="Placeholders">
      {offered.map(({ text, about, isOnce }) => (
        <li key={text}>
          <Button
            onClick={() => onInsert(text)}
            unavailable={
              isOnce && prompt.includes(text) ? 'It may be in a prompt once, and is already.' : null
            }
          >
            <code>{text}</code>
          </Button>
          <span className={styles.soft}>
            {about}
            {isOnce && ' (once)'}
          </span>
        </li>
      ))}
    </ul>
  )
}

function checkQuery(kind: AiKind, prompt: string) {
  return {
    queryKey: ['prompt-check', kind, prompt],
    queryFn: () => apiOf[kind].check({ prompt }),
    // The size already says that it is too long.
    enabled: prompt !== '' && prompt.length <= promptLimit && prompt.isWellFormed(),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 10_000,
  }
}

/** The value once it has not changed for this long. */
function useSettled<Value>(value: Value, ms: number): Value {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled
}
