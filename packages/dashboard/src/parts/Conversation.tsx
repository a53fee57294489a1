import type { ReactNode } from 'react'
import { indentJson } from '../base/json-text.ts'
import { count } from '../base/numbers.ts'
import { formatDuration } from '../base/times.ts'
import styles from './conversation.module.css'
import { conversationOf, type Entry, originOf, type PromptPart, type Turn, tokensOf } from './conversation.ts'
import { Status } from './Marks.tsx'
import { Picture } from './Picture.tsx'
import { Untrusted } from './Untrusted.tsx'
import { Foreign } from './Values.tsx'

/** What the service and a model said to each other in a run. Words from outside look as untrusted as they are. */
export function Conversation({
  entries,
  hasTimes = true,
}: {
  entries: readonly Entry[]
  hasTimes?: boolean
}) {
  const turns = conversationOf(entries)
  const tokens = tokensOf(turns)
  return (
    <div className={styles.conversation}>
      {tokens !== null && (
        <p className={styles.soft}>
          The provider reported {count(tokens.input, 'token')} read and {count(tokens.output, 'token')}{' '}
          written.
        </p>
      )}
      <ol className={styles.turns}>
        {turns.map((turn, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the turns of a conversation have their place as identity
          <li key={index} className={styles.turn}>
            <span className={styles.who}>{whoSpeaks(turn)}</span>
            <div className={styles.said}>
              <TurnContent turn={turn} />
            </div>
            {hasTimes && <span className={styles.time}>{formatDuration(turn.ms)}</span>}
          </li>
        ))}
      </ol>
    </div>
  )
}

function whoSpeaks(turn: Turn): string {
  switch (turn.kind) {
    case 'prompt':
      return turn.isService ? 'Service' : 'Your prompt'
    case 'answer':
    case 'call':
      return 'Model'
    default:
      return 'Service'
  }
}

function TurnContent({ turn }: { turn: Turn }): ReactNode {
  switch (turn.kind) {
    case 'prompt':
      return turn.isService ? <Rules parts={turn.parts} /> : <Prompt parts={turn.parts} />
    case 'asked':
      return (
        <p>
          asked <Foreign text={turn.model} /> of <Foreign text={turn.service} />
          {turn.isFallback && ', the fallback'}
        </p>
      )
    case 'answer':
      return <Reply turn={turn} />
    case 'call':
      return <Call turn={turn} />
    case 'failure':
      return (
        <p className={styles.failure}>
          <Foreign text={turn.name} />: <Foreign text={turn.text} />
        </p>
      )
    case 'chart':
      return (
        <>
          {turn.text !== '' && <Foreign text={turn.text} />}
          {turn.picture !== null && (
            <Picture png={turn.picture} label={`The chart that the model sees. ${turn.text}`.trim()} />
          )}
        </>
      )
    case 'cut':
      return <p className={styles.soft}>Further steps were left out: a transcript has at most 64 KB.</p>
    case 'other':
      return <Foreign text={turn.text} keepLines />
  }
}

function Rules({ parts }: { parts: readonly PromptPart[] }) {
  return (
    <details>
      <summary>told the model its rules</summary>
      <Foreign text={parts.map(({ text }) => text).join('')} keepLines />
    </details>
  )
}

function Prompt({ parts }: { parts: readonly PromptPart[] }) {
  return parts.map(({ text, outside, host }, index) => {
    const origin = outside === null ? null : originOf(outside, host)
    return origin === null ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a prompt have their place as identity
      <div key={index}>
        <Foreign text={text.trim()} keepLines />
      </div>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a prompt have their place as identity
      <Untrusted key={index} from={origin.from} what={origin.what}>
        <code>
          <Foreign text={indentJson(text)} keepLines />
        </code>
      </Untrusted>
    )
  })
}

function Reply({ turn: { text, finish, tokens } }: { turn: Extract<Turn, { kind: 'answer' }> }) {
  return (
    <>
      {text === '' ? (
        <p className={styles.soft}>said nothing</p>
      ) : (
        <Untrusted from="the model" what="answer">
          <Foreign text={text} keepLines />
        </Untrusted>
      )}
      {finish !== null && <p className={styles.failure}>{finish}</p>}
      {tokens !== null && (
        <p className={styles.soft}>
          {count(tokens.input, 'token')} read, {count(tokens.output, 'token')} written
        </p>
      )}
    </>
  )
}

function Call({ turn: { tool, input, result } }: { turn: Extract<Turn, { kind: 'call' }> }) {
  return (
    <>
      <Untrusted from="the model" what={`calls ${toolName(tool)}`}>
        <code>
          <Foreign text={indentJson(input)} keepLines />
        </code>
      </Untrusted>
      {result !== null && (
        <div className={styles.result}>
          <Status status={result.status.toUpperCase()} />
          <code>
            <Foreign text={result.text} keepLines />
          </code>
        </div>
      )}
    </>
  )
}

/** The model chooses the name of a tool, so it may be any text. */
function toolName(tool: string): string {
  return /^\w{1,64}$/.test(tool) ? tool : 'a tool that does not exist'
}
