import { useState } from 'react'
import { Code } from '../../../parts/Code.tsx'
import { Section } from '../../../parts/Page.tsx'
import { Tabs } from '../../../parts/Tabs.tsx'
import styles from '../settings.module.css'
import { programsFor } from './signing.ts'

/** How a program uses a key. */
export function HowToSign() {
  const [chosen, setChosen] = useState('shell')
  return (
    <Section title="How to sign requests">
      <p className={styles.why}>
        The signature covers the method, the path with its query, the body and the time. The{' '}
        <a href="/docs">API reference</a> has all requests.
      </p>
      <Tabs
        label="Programs"
        chosen={chosen}
        onChoose={setChosen}
        tabs={programsFor(location.origin).map(({ id, name, text, note }) => ({
          id,
          name,
          content: (
            <>
              <p className={styles.soft}>{note}</p>
              <Code text={text} name={name} />
            </>
          ),
        }))}
      />
    </Section>
  )
}
