import { changeLook, useLook } from '../../../look/settings.ts'
import { RadioFields } from '../../../parts/Choices.tsx'
import { Section } from '../../../parts/Page.tsx'
import { Value } from '../../../parts/Values.tsx'
import styles from '../settings.module.css'

/** How the pages look in this browser. */
export function Appearance() {
  const { theme, profitColours } = useLook()
  return (
    <Section title="Appearance">
      <p className={styles.why}>This browser keeps your choice, for all its tabs.</p>
      <RadioFields
        legend="Theme"
        name="theme"
        value={theme}
        onChange={(theme) => changeLook({ theme })}
        choices={[
          { value: 'system', text: 'As the system', hint: 'Light or dark, as your device is at the time.' },
          { value: 'light', text: 'Light' },
          { value: 'dark', text: 'Dark' },
        ]}
      />
      <RadioFields
        legend="Profit and loss"
        name="profit-colours"
        value={profitColours}
        onChange={(profitColours) => changeLook({ profitColours })}
        choices={[
          { value: 'teal-red', text: 'Teal and red' },
          {
            value: 'blue-orange',
            text: 'Blue and orange',
            hint: 'For people who cannot tell teal from red. Signs and words say the same as the colours.',
          },
        ]}
      />
      <p>
        For example <Value value="12.4" unit="USDT" isResult /> and{' '}
        <Value value="-12.4" unit="USDT" isResult />
      </p>
    </Section>
  )
}
