//! The comment at the start of an enumerated script: what is needed to make it again.

use dashu_int::UBig;

/// The header of one script after the other.
#[derive(Clone, Debug)]
pub struct Header {
    digits: Vec<u8>,
    options: String,
}

impl Header {
    /// For the script with an index of what options name.
    pub fn new(index: &UBig, options: &str) -> Header {
        Header { digits: index.to_string().into_bytes(), options: options.to_owned() }
    }

    /// The header of the next script. Counting in digits is faster than writing out a number each time.
    pub fn advance(&mut self) {
        for digit in self.digits.iter_mut().rev() {
            if *digit < b'9' {
                *digit += 1;
                return;
            }
            *digit = b'0';
        }
        self.digits.insert(0, b'1');
    }

    /// The index of the script.
    pub fn index(&self) -> &str {
        std::str::from_utf8(&self.digits).unwrap_or_default()
    }

    /// Writes the line.
    pub fn write(&self, text: &mut Vec<u8>) {
        text.extend_from_slice(b"; smelt strategy=enumerate seed=none index=");
        text.extend_from_slice(&self.digits);
        text.push(b' ');
        text.extend_from_slice(self.options.as_bytes());
        text.push(b'\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_count_up() {
        let mut header = Header::new(&UBig::from(98u8), "x=1");
        let mut all = Vec::new();
        for _ in 0..3 {
            all.push(header.index().to_owned());
            header.advance();
        }
        assert_eq!(all, ["98", "99", "100"]);
    }
}
