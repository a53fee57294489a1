import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { strategyPath } from '../../data/paths.ts'
import { Mode, Status } from '../../parts/Marks.tsx'
import { type Example, lackOf, type PartName, partNames } from './example.ts'
import styles from './start.module.css'

const about: Record<PartName, { title: string; text: string; path: (id: number) => string }> = {
  dataWebhook: {
    title: 'Data webhook',
    text: 'takes the payload',
    path: (id) => `/webhooks/data/${id}`,
  },
  reaction: {
    title: 'Reaction',
    text: 'runs code, and decides',
    path: (id) => strategyPath('code-reaction', id),
  },
  botWebhook: {
    title: 'Bot webhook',
    text: 'passes the signal on',
    path: (id) => `/webhooks/bot/${id}`,
  },
  bot: { title: 'Bot', text: 'trades', path: (id) => `/bots/${id}` },
}

/** The parts of the example, in the order in which a payload goes through them. */
export function Parts({ example }: { example: Example }) {
  return (
    <ol className={styles.parts} aria-label="Parts of the example">
      {partNames.map((name) => {
        const { title, text, path } = about[name]
        const part = example[name]
        return (
          <li key={name}>
            <span className={styles.partTitle}>
              {part === undefined ? title : <Link to={path(part.id)}>{title}</Link>}
              {name === 'bot' && <Mode mode="paper" />}
            </span>
            <span className={styles.soft}>{text}</span>
            <PartState lack={lackOf(example, name)} status={part?.status} />
          </li>
        )
      })}
    </ol>
  )
}

function PartState({ lack, status }: { lack: string | null; status: string | undefined }): ReactNode {
  if (status === undefined) return <span className={styles.lack}>{lack}</span>
  return (
    <span>
      <Status status={status} />
      {lack === 'Is not attached' && <span className={styles.lack}> {lack}</span>}
    </span>
  )
}
