//! Fixed words: enums with one spelling, in the program, in JSON and for people.

/// Declares an enum whose variants are fixed words, with `ALL`, `as_str`, `Display` and serde.
#[macro_export]
macro_rules! fixed_words {
    (
        $(#[$about:meta])*
        $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)* }
    ) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        pub enum $name {
            $($(#[$doc])* #[serde(rename = $word)] $variant,)*
        }

        impl $name {
            /// All of them, in the order of the design.
            pub const ALL: [$name; [$($word),*].len()] = [$($name::$variant),*];

            /// The fixed word.
            pub fn as_str(self) -> &'static str {
                match self {
                    $($name::$variant => $word,)*
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

pub(crate) use fixed_words;
